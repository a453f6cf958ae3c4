// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Time before a slot at which a thread stops sleeping and reads the clock instead: it follows the wakes, so that one of
/// 150 is later than that, of those that no stop of the machine delays. So the 99th percentile of a rig is punctual.
///
/// A wake that comes too late makes it longer by 149 steps, any other shorter by one: both are in balance at that
/// quantile (stochastic approximation, Robbins and Monro, 1951). A step is 1/1024 of it at first and 1/8192 from some
/// 7,000 wakes on: then it doubles within 40 late wakes, and halves within 5,700 punctual ones.
///
/// Threads  follow() one, value() any. RT  all.
class SpinMargin {
 public:
  static constexpr Nanoseconds kLeast{20'000};

  explicit SpinMargin(Nanoseconds fixed) : value_(fixed), most_(fixed) {}

  /// Begins anew for a period: with what is wanted, at least 20 us, at most a quarter of the period, so that spinning
  /// stays far below the kernel's real-time throttle. @when setup
  void begin(Nanoseconds wanted, Period period) {
    most_ = period.floor() / 4;
    steps_ = kFirstSteps;
    value_ = within(wanted);
  }
  /// Takes how late a sleep has ended. Only after begin(). One that was later than half a period does not count: a
  /// machine that stands still so long wants no longer margin.
  void follow(Nanoseconds lateness) TACTUS_RT {
    if (lateness > most_ * 2) return;
    constexpr std::int64_t kMostSteps = 8192;
    constexpr std::int64_t kLateIsOneOf = 150;
    const Nanoseconds now = value();
    const Nanoseconds step = now / steps_ + Nanoseconds{1};
    steps_ = std::min(steps_ + 1, kMostSteps);
    value_.store(within(lateness > now ? now + step * (kLateIsOneOf - 1) : now - step),
                 std::memory_order_relaxed);
  }
  Nanoseconds value() const TACTUS_RT { return value_.load(std::memory_order_relaxed); }

 private:
  Nanoseconds within(Nanoseconds wanted) const TACTUS_RT { return std::min(std::max(wanted, kLeast), most_); }

  static constexpr std::int64_t kFirstSteps = 1024;

  std::atomic<Nanoseconds> value_;
  Nanoseconds most_;
  std::int64_t steps_ = kFirstSteps;  // so many are as long as the margin
};

}  // namespace tactus::rtsync
