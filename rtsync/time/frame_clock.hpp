// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Maps slot numbers to absolute wake-up times, and back.
///
///     slot(k) = epoch + k * period     multiplied, never summed: slot 10^9 is as exact as slot 1
///
/// Units    nanoseconds, in the types; the period is an exact fraction, a slot is its integer part.
/// Threads  immutable after construction; share it freely.
/// RT       everything but the constructor: no lock, no allocation, no system call.
class FrameClock {
 public:
  static constexpr Nanoseconds kShortest{1'000};
  static constexpr Nanoseconds kLongest{10'000'000'000};

  /// Throws std::invalid_argument when the period is outside 1 us .. 10 s (times the range of clock ratios,
  /// 1/1000 .. 1000).                                                                             @when setup
  FrameClock(TimePoint<RigTime> epoch, Period period) : epoch_(epoch), period_(period) {
    if (period < Period{1, 1} || period > Period{kLongest * 1000})
      throw std::invalid_argument("a frame lasts 1 us .. 10 s (before the clock ratio)");
  }

  TimePoint<RigTime> epoch() const TACTUS_RT { return epoch_; }
  Period period() const TACTUS_RT { return period_; }

  /// Returns when frame k should start.                                                             @when any
  TimePoint<RigTime> slot(std::int64_t k) const TACTUS_RT { return epoch_ + period_.times(k); }

  /// First slot at or after t; slot 0 for any t before the epoch.                                   @when any
  std::int64_t first_at_or_after(TimePoint<RigTime> t) const TACTUS_RT {
    const std::int64_t since = (t - epoch_).count();
    if (since <= 0) return 0;
    const Wide scaled = static_cast<Wide>(since) * period_.den();
    return static_cast<std::int64_t>((scaled + period_.num() - 1) / period_.num());
  }

  /// Last slot at or before t, which is not before the epoch.                                       @when any
  std::int64_t last_at_or_before(TimePoint<RigTime> t) const TACTUS_RT {
    const Wide scaled = (static_cast<Wide>((t - epoch_).count()) + 1) * period_.den() - 1;
    return static_cast<std::int64_t>(scaled / period_.num());
  }

  /// The same grid, moved later as a whole (frozen time).                                           @when rt
  FrameClock shifted(Nanoseconds by) const TACTUS_RT {
    FrameClock moved = *this;
    moved.epoch_ += by;
    return moved;
  }

 private:
  TimePoint<RigTime> epoch_;
  Period period_;
};

}  // namespace tactus::rtsync
