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
  double share = -1;  ///< share of a percentile of late, work or slack
};

/// Quantity of that name, without a look at any run; nothing: there is none.
std::optional<Quantity> quantity_named(const std::string& name);
/// Stands for any job in quantity_names(): no quantity itself.
inline constexpr const char* kNameOfJob = "jobs.NAME";
/// Names of all quantities, as messages and the documentation list them.
std::vector<std::string> quantity_names();
/// Its value: nanoseconds or a count. Nothing, and `why`: the run does not have it.
std::optional<double> value_of(const Quantity& quantity, const RunData& run, std::string& why);
/// "12.3 µs" or "36 000".
std::string value_text(const Quantity& quantity, double value);

}  // namespace tactus::report
