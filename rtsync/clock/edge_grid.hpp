// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Grid on which edges are expected: edge n at rig time n * period; and the tolerance around each point.
///
/// Units    nanoseconds.
/// Threads  a constant.
struct EdgeGrid {
  /// Throws std::invalid_argument naming the field and its range. @when setup
  explicit EdgeGrid(const EdgeClockSettings& given) : settings(checked(given)) {
    // Of what is shorter: 1PPS must not throw 1 kHz frames about by tenths of a second.
    const std::int64_t shorter = std::min(period_floor, settings.frame.floor().count());
    const Nanoseconds tenth = std::max(Nanoseconds{1}, Nanoseconds{shorter / 10});
    jitter_limit =
        settings.jitter_limit.value_or(settings.late_limit ? std::min(tenth, *settings.late_limit) : tenth);
    late_limit = settings.late_limit.value_or(std::max(Nanoseconds{shorter / 4}, jitter_limit));
    jitter_ns = static_cast<double>(jitter_limit.count());
    blanking_ns = std::max(0.0, std::min(settings.blanking * period_ns, period_ns - 2 * jitter_ns));
  }

  /// The edge nearest to a rig time: n for times in [n - 1/2, n + 1/2) periods.                    @when rt
  std::int64_t nearest(std::int64_t rig) const TACTUS_RT {
    const Wide num = period.num();
    return floor_div(2 * static_cast<Wide>(rig) * period.den() + num, 2 * num);
  }
  std::int64_t time_of(std::int64_t n) const TACTUS_RT { return period.times(n).count(); }
  /// The first multiple of the frame at or after a rig time.                                       @when rt
  Nanoseconds frame_start(std::int64_t rig) const TACTUS_RT {
    const Period& frame = settings.frame;
    return frame.times(-floor_div(-static_cast<Wide>(rig) * frame.den(), frame.num()));
  }

  EdgeClockSettings settings;
  Period period = settings.edge_period();
  double period_ns = static_cast<double>(period.num()) / static_cast<double>(period.den());
  std::int64_t period_floor = period.floor().count();
  Nanoseconds jitter_limit{0};
  Nanoseconds late_limit{0};
  double jitter_ns = 0;    ///< jitter_limit
  double blanking_ns = 0;  ///< time after an edge in which no other is taken

 private:
  /// Towards minus infinity; den > 0.
  static std::int64_t floor_div(Wide num, Wide den) TACTUS_RT {
    return static_cast<std::int64_t>(num / den - (num % den < 0 ? 1 : 0));
  }
};

}  // namespace tactus::rtsync
