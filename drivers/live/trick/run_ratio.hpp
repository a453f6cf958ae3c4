// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <deque>

#include "rtsync/time/period.hpp"

namespace tactus::drivers::trick {

/// Simulated time per real time, over the last seconds, rounded to hundredths as Trick does it.
///
/// Units    now: nanoseconds of any clock that never goes back.
/// Threads  one.
class RunRatio {
 public:
  static constexpr rtsync::Nanoseconds kLeast{200'000'000};   ///< shorter says nothing
  static constexpr rtsync::Nanoseconds kMost{2'000'000'000};  ///< time after which the past is forgotten

  /// A snapshot has come. Time frozen, and a reset, begin anew.
  void add(rtsync::Nanoseconds now, std::int64_t sim_time_ns, bool paused) {
    if (paused || (!samples_.empty() && sim_time_ns < samples_.back().sim_time_ns)) samples_.clear();
    if (paused) return;
    if (!samples_.empty() && now - samples_.back().now < rtsync::Nanoseconds{10'000'000}) return;
    samples_.push_back({now, sim_time_ns});
    while (samples_.size() > 2 && now - samples_[1].now >= kMost) samples_.pop_front();
    const auto passed = now - samples_.front().now;
    if (passed < kLeast) return;
    const auto simulated = static_cast<double>(sim_time_ns - samples_.front().sim_time_ns);
    ratio_ = std::round(100 * simulated / static_cast<double>(passed.count())) / 100;
  }
  /// 1 until something is known.
  double value() const { return ratio_; }

 private:
  struct Sample {
    rtsync::Nanoseconds now;
    std::int64_t sim_time_ns;
  };
  std::deque<Sample> samples_;
  double ratio_ = 1;
};

}  // namespace tactus::drivers::trick
