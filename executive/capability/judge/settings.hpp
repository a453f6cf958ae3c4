// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "config/rules.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// An event: a condition with a name.
struct EventSettings {
  std::string name;
  Located<std::string> when;
  bool each = false;  ///< true each time that it begins to hold, else once
  config::Node action{};
};

enum class Severity : std::uint8_t { note, warn, fail, stop };

/// An expectation: what ought to hold, and when.
struct ExpectSettings {
  std::string name;
  Origin origin;
  Located<std::string> always, never, finally, after, holds, settles, run;
  std::optional<Nanoseconds> within, lasting, from, until, by;
  std::vector<Located<std::string>> between, before;
  bool from_the_start = false;  ///< true: times count from the first frame
  Severity severity = Severity::fail;
  std::string requirement;
  bool ignore_nan = false;
  std::optional<Nanoseconds> shift, tube;  ///< freedom of a recording in time
  bool realtime = false;                   ///< judged in real time only, by stamps of the clock
  std::string text;                        ///< the text that it was written as; empty: keys
};

/// The keys of a test, as they are in the rig file.
struct TestSettings {
  std::string test;  ///< name of the test
  config::Node events = config::Node::map({});
  config::Node expect = config::Node::map({});
  config::Node measure = config::Node::map({});  ///< expressions over the run, by names
  Located<Nanoseconds> around{
      Nanoseconds{1'000'000'000}};  ///< simulated time before and after a failure that is kept
  config::Node sequence{};          ///< steps, one after the other
  bool operator==(const TestSettings&) const = default;
};

/// Words of a severity.                                                                          @when setup
config::Choices<Severity> severity_choices();
const char* severity_name(Severity severity);

/// The tables of an event and of an expectation.                                             @when setup
const config::Fields<EventSettings>& event_fields();
const config::Fields<ExpectSettings>& expect_fields();

/// Keys and checks of tests.
extern const CapabilitySection kJudgeSection;

}  // namespace tactus::executive
