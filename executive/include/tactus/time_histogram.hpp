// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A histogram of times for a driver's model to fill in its jobs and to show as a MeasuredHistogram
/// (tactus/model_driver.hpp).
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tactus/model_driver.hpp>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// Times in classes of four for each power of two: what is read from it is at most a quarter too large.
///
/// Units    ns; below 0 counts as 0.
/// Threads  add(): one. The rest: any, and sees what was added so far.
/// RT       all but fill().
class TACTUS_HIDDEN TimeHistogram {
 public:
  /// Counts a time. @when rt
  void add(std::int64_t time) noexcept {
    const auto value = static_cast<std::uint64_t>(time < 0 ? 0 : time);
    bump(counts_[class_of(value)]);
    if (time > longest()) longest_.store(time, std::memory_order_relaxed);
  }
  /// Number of times that were added. @when any
  std::uint64_t count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::atomic<std::uint64_t>& each : counts_) sum += each.load(std::memory_order_relaxed);
    return sum;
  }
  /// The longest time that was added; 0: there is none. @when any
  std::int64_t longest() const noexcept { return longest_.load(std::memory_order_relaxed); }
  /// Shows it in seconds: unit, count, longest and classes.                                          @when service
  void fill(MeasuredHistogram& to) const {
    to.unit = "s";
    to.longest = in_seconds(longest());
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (const std::uint64_t count = counts_[i].load(std::memory_order_relaxed); count > 0) {
        to.classes.push_back({in_seconds(end_of(i)), count});
        to.count += count;
      }
  }
  /// Returns the upper end of the class that has the time which `share` of all do not exceed; 0: there is none.
  std::int64_t quantile(double share) const noexcept {
    const std::uint64_t all = count();
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      sum += counts_[i].load(std::memory_order_relaxed);
      if (sum > wanted || (sum >= all && sum > 0)) {
        const std::int64_t end = end_of(i);
        return end < longest() ? end : longest();
      }
    }
    return 0;
  }

 private:
  static double in_seconds(std::int64_t time) noexcept { return static_cast<double>(time) * 1e-9; }
  static void bump(std::atomic<std::uint64_t>& count) noexcept {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static std::size_t class_of(std::uint64_t value) noexcept {
    if (value < 4) return value;
    const auto width = static_cast<unsigned>(std::bit_width(value));
    return (width - 2U) * 4U + (value >> (width - 3U) & 3U);
  }
  static std::int64_t end_of(std::size_t index) noexcept {
    if (index < 4) return static_cast<std::int64_t>(index);
    const std::size_t shift = index / 4 - 1;
    return static_cast<std::int64_t>(((4 + index % 4 + 1) << shift) - 1);
  }

  std::atomic<std::int64_t> longest_{0};
  std::array<std::atomic<std::uint64_t>, 256> counts_{};
};

}  // namespace tactus

#undef TACTUS_HIDDEN
