// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executive/report/min_max_columns.hpp"

namespace tactus::report {

/// A recorded variable over time.
struct Signal {
  std::string name;
  std::string unit;
  std::string recording;
  MinMaxColumns columns;

  /// "motor.speed (rad/s)".
  std::string title() const { return name + (unit.empty() ? "" : " (" + unit + ")"); }
};

struct Signals {
  std::vector<Signal> signals;
  std::vector<std::string> remarks;  ///< remarks on what is not shown, and why
};

/// The recordings of a run folder, in all formats that this machine has. `names`: variables to be shown, with * and ? for any letters;
/// empty: the first ones, up to a limit. Throws std::runtime_error: none of the recordings has a variable of that name; with those that there are.
/// @when service
Signals read_signals(const std::filesystem::path& folder, const std::vector<std::string>& names);

}  // namespace tactus::report
