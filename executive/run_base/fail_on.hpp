// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "executive/run_base/run_figures.hpp"

namespace tactus::executive {

/// Conditions under which a run that ended as planned is a failure all the same (exit status 1).
struct FailOn {
  bool overrun = false;
  bool late_wake = false;
  bool refused = false;     ///< something that the machine did not give the rig
  std::string condition{};  ///< an expression over RunFigures; empty: none
  bool operator==(const FailOn&) const = default;
};

/// Adds the words of "overrun,late_wake", or a condition as "overruns > 3 or lost > 0". What is wrong with them, and which
/// there are; empty: nothing.
std::string add_fail_on(std::string_view words, FailOn& fail_on);
/// "3 overruns, 1 late wake (--fail-on)"; empty: it did not fail.
std::string why_failed(const FailOn& fail_on, const RunFigures& figures);

}  // namespace tactus::executive
