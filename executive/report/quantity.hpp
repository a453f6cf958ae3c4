// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "executive/report/run_data.hpp"

namespace tactus::report {

/// A figure of a run that a condition can ask for: "late.p99", "jobs.motor.step.max", "overruns".
struct Quantity {
  enum class Kind { time, count };

  std::string name;
  Kind kind = Kind::count;
  double share = -1;  ///< of a percentile of late, work or slack
};

/// What a name stands for, without a look at any run; nothing: no quantity is called so.
std::optional<Quantity> quantity_named(const std::string& name);
/// Stands for any job in quantity_names(): no quantity itself.
inline constexpr const char* kNameOfJob = "jobs.NAME";
/// What can be asked for: as messages and the documentation list it.
std::vector<std::string> quantity_names();
/// Its value: nanoseconds or a count. Nothing, and `why`: the run does not have it.
std::optional<double> value_of(const Quantity& quantity, const RunData& run, std::string& why);
/// "12.3 µs" or "36 000".
std::string value_text(const Quantity& quantity, double value);

}  // namespace tactus::report
