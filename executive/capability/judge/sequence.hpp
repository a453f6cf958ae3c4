// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/capability/action/action_parser.hpp"
#include "executive/capability/judge/monitor.hpp"
#include "executive/capability/judge/settings.hpp"
#include "executive/capability/judge/verdict_chart.hpp"

namespace tactus::executive {

/// A branch of a step, as it is written.
struct BranchSettings {
  Origin origin;
  Located<std::string> when, step;
  bool operator==(const BranchSettings&) const = default;
};

/// A step of a sequence, as it is written.
struct StepSettings {
  Origin origin;
  Located<std::string> step;
  config::Node actions{};
  Located<std::string> until;
  std::optional<Located<Nanoseconds>> lasting, timeout;
  Severity severity = Severity::fail;
  std::string requirement;
  config::Node expect{};
  std::vector<BranchSettings> branches;
  Located<std::string> next, on_timeout;
  bool operator==(const StepSettings&) const = default;
};

/// The table of a step.                                                                           @when setup
const config::Fields<StepSettings>& step_of_sequence_fields();

/// An expectation of a step, judged while the step runs.
struct CompiledStepExpectation {
  Origin origin{};
  std::string name{};
  std::string text{};
  std::string requirement{};
  Severity severity = Severity::fail;
  Monitor::Kind kind = Monitor::Kind::always;
  std::int64_t ticks = 0;        ///< frames after the first one of the step
  rtsync::Nanoseconds limit{0};  ///< a frame is late by more than a tenth of it; 0: there is none
  bool ignore_nan = false;
  std::uint32_t holds = 0;
  std::optional<std::uint32_t> margin{};
  ChartUnits units{};       ///< the first is that of the margin
  std::string condition{};  ///< text of what ought to hold
  std::string no_margin{};  ///< reason why it has no margin
};

/// A step as frames run it: cells of the test's program.
struct CompiledStep {
  static constexpr std::uint32_t kEnd = UINT32_MAX;  ///< the sequence ends

  struct Branch {
    std::uint32_t when = 0;  ///< cell
    std::uint32_t step = kEnd;
  };
  Origin origin{};
  std::string name{};
  std::string text{};  ///< "until trajectory.speed > 50 rad/s, at most 2 s"
  std::string requirement{};
  Severity severity = Severity::fail;
  std::optional<std::uint32_t> until{};  ///< cell
  std::int64_t frames = 0;               ///< `for`; 0: no such end
  std::int64_t timeout = 0;              ///< frames; 0: none
  rtsync::Nanoseconds late_limit =
      rtsync::Nanoseconds::max();  ///< lateness that makes a time-out inconclusive
  std::vector<Branch> branches{};
  std::uint32_t next = kEnd, on_timeout = kEnd;
  std::vector<CompiledStepExpectation> expectations{};
};

struct CompiledSequence {
  std::vector<CompiledStep> steps{};
};

/// Compiles conditions of a test into its program.
class TestConditions {
 public:
  virtual ~TestConditions() = default;

  struct Condition {
    std::uint32_t cell = 0;
    std::optional<std::uint32_t> margin{};
    ChartUnits units{};
    std::string no_margin{};
  };
  /// Nothing: a problem was added.                                                                @when setup
  virtual std::optional<Condition> condition(const Located<std::string>& text) = 0;
  /// The frames of a time, rounded up, at least one.
  virtual std::int64_t frames_of(Nanoseconds time) const = 0;
};

/// Compiles the value of the key `sequence`. Its mistakes are added to `problems`.                 @when setup
CompiledSequence compile_sequence(const config::Node& sequence, TestConditions& conditions,
                                  ActionParser& actions, config::Problems& problems);

}  // namespace tactus::executive
