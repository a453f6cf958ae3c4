// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The fastest symmetric move from rest to rest over a distance, limited in speed, acceleration and jerk.
///
/// Acceleration rises over `ramp`, stands, and falls over `ramp`; `rise` is the whole of it. Then `cruise` at
/// constant speed, then the same backwards.
///
/// Source   L. Biagiotti, C. Melchiorri, Trajectory Planning for Automatic Machines and Robots, 3.4.
/// Units    SI; distance >= 0, limits > 0.
/// RT       no allocation; `at` evaluates a polynomial, nothing is accumulated.
#include <cmath>

namespace servo {

struct Motion {
  double position = 0, speed = 0, acceleration = 0;
};

struct SCurve {
  double distance = 0, jerk = 0;
  double ramp = 0;    ///< s, while the acceleration changes
  double rise = 0;    ///< s, from rest to the top speed
  double cruise = 0;  ///< s, at the top speed

  static SCurve plan(double distance, double speed, double acceleration, double jerk) noexcept {
    SCurve s{.distance = distance, .jerk = jerk};
    const bool stands = speed * jerk >= acceleration * acceleration;  // the acceleration limit is reached
    s.ramp = stands ? acceleration / jerk : std::sqrt(speed / jerk);
    s.rise = stands ? s.ramp + speed / acceleration : 2 * s.ramp;
    s.cruise = distance / speed - s.rise;
    if (s.cruise >= 0) return s;
    s.cruise = 0;  // too short to reach the speed limit
    if (distance >= 2 * acceleration * acceleration * acceleration / (jerk * jerk)) {
      s.ramp = acceleration / jerk;
      s.rise = s.ramp / 2 + std::sqrt(s.ramp * s.ramp / 4 + distance / acceleration);
    } else {
      s.ramp = std::cbrt(distance / (2 * jerk));
      s.rise = 2 * s.ramp;
    }
    return s;
  }

  double duration() const noexcept { return 2 * rise + cruise; }

  /// t seconds after the start; at rest before it and after the end.
  Motion at(double t) const noexcept {
    if (t <= 0) return {};
    if (t >= duration()) return {distance, 0, 0};
    if (t <= duration() / 2) return first_half(t);
    const Motion mirror = first_half(duration() - t);
    return {distance - mirror.position, mirror.speed, -mirror.acceleration};
  }

 private:
  Motion first_half(double t) const noexcept {
    const double top_acceleration = jerk * ramp;
    const double top_speed = top_acceleration * (rise - ramp);
    if (t < ramp) return {jerk * t * t * t / 6, jerk * t * t / 2, jerk * t};
    if (t < rise - ramp) {
      return {top_acceleration / 6 * (3 * t * t - 3 * ramp * t + ramp * ramp),
              top_acceleration * (t - ramp / 2), top_acceleration};
    }
    if (t < rise) {
      const double left = rise - t;
      return {top_speed * rise / 2 - top_speed * left + jerk * left * left * left / 6,
              top_speed - jerk * left * left / 2, jerk * left};
    }
    return {top_speed * rise / 2 + top_speed * (t - rise), top_speed, 0};
  }
};

}  // namespace servo
