// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

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
  std::optional<double> low{},
      high{};  ///< the band, in the unit of the signal; nothing: no limit on that side
  /// Size of the one number that the condition is about, in the unit of its margin: 20, or 0.5. What is left of it is the
  /// margin. Nothing: there is none, or there are several.
  std::optional<double> limit{};
};

/// Makes the chart of a condition whose margin has that unit. `never`: it must not hold.         @when service
VerdictChart chart_of(const std::string& condition, bool never, const std::string& unit);
/// {"signals": [...], "reference": ..., "low": ..., "high": ..., "limit": ...}; null: none.
config::Json to_json(const VerdictChart& chart);

}  // namespace tactus::executive
