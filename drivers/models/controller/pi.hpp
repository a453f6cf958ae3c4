// SPDX-License-Identifier: Apache-2.0
#pragma once
/// One PI step with a limit. The integral waits while the limit is reached and the error would push it
/// further (conditional integration): it never winds up.
///
/// Source   K. Astrom, T. Hagglund, Advanced PID Control, 3.5.
/// Units    the caller's: out, integral and limit share one; gain is out per error.
/// RT       no allocation, no branch on anything but numbers.
#include <algorithm>

namespace controller {

struct Pi {
  double gain, integral_time;

  /// out = feed_forward + gain error + integral, within +- limit; `integral` is moved on by dt seconds.
  double step(double error, double feed_forward, double limit, double dt, double& integral) const noexcept {
    const double wanted = feed_forward + gain * error + integral;
    const double out = std::clamp(wanted, -limit, limit);
    const bool winding_up = (wanted > limit && error > 0) || (wanted < -limit && error < 0);
    if (!winding_up) integral += gain / integral_time * dt * error;
    return out;
  }
};

}  // namespace controller
