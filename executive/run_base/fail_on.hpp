// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::executive {

/// Conditions under which a run that ended as planned is a failure all the same (exit status 1).
struct FailOn {
  bool overrun = false;
  bool late_wake = false;
  bool refused = false;     ///< something that the machine did not give the rig
  std::string condition{};  ///< an expression over the names of FailCounts; empty: none
  bool operator==(const FailOn&) const = default;
};

/// Figures of the run, without its grace period.
struct FailCounts {
  std::int64_t overruns = 0;
  std::int64_t late_wakes = 0;
  std::int64_t refused = 0;
  std::int64_t lost = 0;    ///< slots
  std::int64_t frames = 0;  ///< frames of the run
  std::int64_t longest_overrun_ns = 0;
};

/// Adds the words of "overrun,late_wake", or a condition as "overruns > 3 or lost > 0". What is wrong with them, and which
/// there are; empty: nothing.
std::string add_fail_on(std::string_view words, FailOn& fail_on);
/// "3 overruns, 1 late wake (--fail-on)"; empty: it did not fail.
std::string why_failed(const FailOn& fail_on, const FailCounts& counts);

}  // namespace tactus::executive
