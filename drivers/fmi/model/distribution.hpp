// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tactus/time_histogram.hpp>

namespace tactus::drivers::fmi {

/// A histogram of times, with the causes of those that are too large.
///
/// Threads  add(), add_nothing(): one. fill(): any, and sees what was added so far. RT: all but fill().
class __attribute__((visibility("hidden"))) Distribution {
 public:
  static constexpr std::size_t kMostCauses = 4;

  /// Adds a time of 0 s.
  void add_nothing() noexcept { times_.add(0); }
  /// Adds a time; one that is too large is counted for a cause, below kMostCauses.
  void add(double seconds, bool too_large, std::size_t cause) noexcept {
    const double ns = std::isfinite(seconds) ? std::clamp(seconds * 1e9, 0.0, kMostNs) : 0;
    times_.add(static_cast<std::int64_t>(ns));
    if (too_large)
      causes_[cause].store(causes_[cause].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Shows it, with names for the first causes.                                               @when service
  template <std::size_t kNames>
  void fill(MeasuredHistogram& to, double limit, const std::array<const char*, kNames>& causes) const {
    static_assert(kNames <= kMostCauses);
    times_.fill(to);
    to.limit = limit;
    for (std::size_t i = 0; i < kNames; ++i)
      to.shares.push_back({causes[i], causes_[i].load(std::memory_order_relaxed)});
  }

 private:
  static constexpr double kMostNs = 9e18;

  TimeHistogram times_;
  std::array<std::atomic<std::uint64_t>, kMostCauses> causes_{};
};

}  // namespace tactus::drivers::fmi
