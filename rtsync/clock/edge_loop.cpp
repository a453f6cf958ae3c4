// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_loop.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::rtsync {

EdgeLoop::EdgeLoop(const EdgeGrid& grid)
    : grid_(grid), w_(1.0 / static_cast<double>(grid.settings.smoothing)) {}

void EdgeLoop::begin(std::int64_t n, std::int64_t stamp, double off, double rate) TACTUS_RT {
  rate_ = rate;
  line_ = seen_ = ClockSlew{grid_.time_of(n), {stamp, -off}, rate, 0, rate};
}

void EdgeLoop::steer(std::int64_t n, std::int64_t stamp, double error, bool take) TACTUS_RT {
  const double most = grid_.settings.slew * grid_.period_ns;
  const double wanted = 2 * w_ * error;
  const double phase = std::clamp(wanted, -most, most);
  double change = 0;
  // A phase that is taken as it comes is never limited, so neither need the rate wait for it.
  if (take || phase == wanted) {
    change = w_ * w_ * error / grid_.period_ns;
    limited_ = 0;
  } else {
    change = rate_missed(error, phase);
  }
  const double tolerance = grid_.settings.rate_tolerance;
  rate_ = std::clamp(rate_ + change, -tolerance, tolerance);
  const std::int64_t rig = grid_.time_of(n);
  line_ = take ? ClockSlew{rig, {stamp, 0}, rate_, 0, rate_}
               : ClockSlew{rig, line_.at(rig), rate_ + phase / grid_.period_ns, grid_.period_floor, rate_};
  follows_ = false;
}

/// Returns the error of the rate that the limited phase hides. While the phase is limited the rate is not
/// learnt; but if it comes no nearer for long, the rate is off by more than the phase may make up for. The
/// difference between two halves of a run of edges shows by how much.
double EdgeLoop::rate_missed(double error, double phase) TACTUS_RT {
  if (limited_ > 0 && (phase > 0) != (limited_to_ > 0)) limited_ = 0;
  limited_to_ = phase;
  if (limited_ == 0) limited_sums_ = {0, 0};
  const std::int64_t half = std::max<std::int64_t>(32, 2 * grid_.settings.lock_after);
  limited_sums_[limited_ < half ? 0 : 1] += error;
  if (++limited_ < 2 * half) return 0;
  limited_ = 0;
  const double moved = (limited_sums_[1] - limited_sums_[0]) / static_cast<double>(half * half);
  const double missed = moved + phase;  // of the right rate, the error would move by -phase at each edge
  return std::abs(missed) > std::abs(phase) / 2 ? missed / grid_.period_ns : 0;
}

void EdgeLoop::set_rate(double rate, std::int64_t now) TACTUS_RT {
  const std::int64_t rig = line_.to_rig(now);
  line_ = ClockSlew{rig, line_.at(rig), rate, 0, rate};
  rate_ = rate;
  follows_ = false;
}

void EdgeLoop::follow(std::int64_t now, bool take) TACTUS_RT {
  if (follows_) return;
  if (take) {
    seen_ = line_;
    follows_ = true;
    return;
  }
  const std::int64_t rig = seen_.to_rig(now);
  const Moment here = seen_.at(rig);
  const std::int64_t span = std::max(grid_.period_floor, line_.knee() - rig);
  const Moment there = line_.at(rig + span);
  const double wanted = (static_cast<double>(there.whole - here.whole - span) + (there.part - here.part)) /
                        static_cast<double>(span);
  const double rate = std::clamp(wanted, rate_ - grid_.settings.slew, rate_ + grid_.settings.slew);
  follows_ = rate == wanted;
  seen_ = ClockSlew{rig, here, rate, span, rate_};
}

double EdgeLoop::error_of(std::int64_t n, std::int64_t stamp) const TACTUS_RT {
  const Moment predicted = line_.at(grid_.time_of(n));
  return static_cast<double>(stamp - predicted.whole) - predicted.part;
}

void EdgeLoop::begin_settling(double error) TACTUS_RT {
  in_row_ = 0;
  average_ = error;
}

bool EdgeLoop::acquired(double error, std::int64_t stamp) TACTUS_RT {
  in_row_ = std::abs(error) <= grid_.jitter_ns ? in_row_ + 1 : 0;
  average_ += (error - average_) / 8;
  if (in_row_ < grid_.settings.lock_after) return false;
  const double near = grid_.jitter_ns / 10;
  const double lag = static_cast<double>(line_.to_rig(stamp) - seen_.to_rig(stamp));
  return grid_.settings.discipline == Discipline::pll ||
         (std::abs(average_) <= near && std::abs(lag) <= near);
}

}  // namespace tactus::rtsync
