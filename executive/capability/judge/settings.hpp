// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.hpp"
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
  Located<std::string> always, never, finally, after, holds;
  std::optional<Nanoseconds> within, lasting;
  std::vector<Located<std::string>> between;
  Severity severity = Severity::fail;
  std::string requirement;
  bool ignore_nan = false;
  config::Node run{}, shift{}, realtime{};
};

/// The keys of a test, as they are in the rig file.
struct TestSettings {
  std::string test;  ///< name of the test
  config::Node events = config::Node::map({});
  config::Node expect = config::Node::map({});
  bool operator==(const TestSettings&) const = default;
};

/// The tables of an event and of an expectation.                                             @when setup
const config::Fields<EventSettings>& event_fields();
const config::Fields<ExpectSettings>& expect_fields();

/// Keys and checks of tests.
extern const CapabilitySection kJudgeSection;

}  // namespace tactus::executive
