// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/expression.hpp"
#include "config/json.hpp"

namespace tactus::executive {

/// The variables that a chart of an expectation draws and, where the condition has the form of one, the band in which it
/// holds.
///
///     abs(motor.speed - trajectory.speed) < 5 rad/s        motor.speed, -5 .. 5 around trajectory.speed
///     motor.angle within 0.5 rad of trajectory.position    motor.angle, -0.5 .. 0.5 around trajectory.position
///     motor.speed > 20 rad/s                               motor.speed, from 20
struct VerdictChart {
  std::vector<std::string> signals{};  ///< variables without the reference, in the order of the text
  std::string reference{};             ///< the variable that the band is around; empty: it is around zero
  double gain = 1, offset = 0;         ///< reference * gain + offset is in the unit of the signal
  std::optional<double> low{},
      high{};  ///< the band, in the unit of the signal; nothing: no limit on that side
  /// Size of the one number that the condition is about, in the unit of its margin: 20, or 0.5. What is left of it is the
  /// margin. Nothing: there is none, or there are several.
  std::optional<double> limit{};
};

/// Texts of the units of a condition. They differ: temperatures in degF are up to a limit in degF, and their margin is in K.
struct ChartUnits {
  std::string margin{};
  std::string signal{}, reference{};  ///< units of the first and of the second variable that it names
};

/// The first two variables that a condition names.                                                @when setup
std::vector<std::string> charted_variables(const config::Expression& condition);

/// Makes the chart of a condition. `never`: it must not hold.                                    @when service
VerdictChart chart_of(const std::string& condition, bool never, const ChartUnits& units);
/// Makes one where all three units are the same.
VerdictChart chart_of(const std::string& condition, bool never, const std::string& unit);
/// {"signals": [...], "reference": ..., "gain": ..., "offset": ..., "low": ..., "high": ..., "limit": ...}; null: none.
config::Json to_json(const VerdictChart& chart);

}  // namespace tactus::executive
