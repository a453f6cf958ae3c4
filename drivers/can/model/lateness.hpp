// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// Times in classes of four for each power of two: what is read from it is at most a quarter too large.
///
/// Units    ns.
/// Threads  add(): one. The rest: any, and sees what was added so far.
/// RT       all but classes().
class Histogram {
 public:
  void add(std::int64_t time) TACTUS_RT {
    const auto value = static_cast<std::uint64_t>(time < 0 ? 0 : time);
    bump(counts_[class_of(value)]);
    if (time > longest()) longest_.store(time, std::memory_order_relaxed);
  }
  std::uint64_t count() const TACTUS_RT {
    std::uint64_t sum = 0;
    for (const std::atomic<std::uint64_t>& each : counts_) sum += each.load(std::memory_order_relaxed);
    return sum;
  }
  std::int64_t longest() const TACTUS_RT { return longest_.load(std::memory_order_relaxed); }
  /// The classes that have any: the largest value, and how many. The counts add up to `count()` once nothing is added.
  std::vector<std::pair<std::int64_t, std::uint64_t>> classes() const {
    std::vector<std::pair<std::int64_t, std::uint64_t>> all;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (const std::uint64_t count = counts_[i].load(std::memory_order_relaxed); count > 0)
        all.emplace_back(end_of(i), count);
    return all;
  }
  /// The upper end of the class that has the time which `share` of all do not exceed; 0: there is none.
  std::int64_t quantile(double share) const TACTUS_RT {
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
  static void bump(std::atomic<std::uint64_t>& count) TACTUS_RT {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static std::size_t class_of(std::uint64_t value) TACTUS_RT {
    if (value < 4) return value;
    const auto width = static_cast<unsigned>(std::bit_width(value));
    return (width - 2U) * 4U + (value >> (width - 3U) & 3U);
  }
  static std::int64_t end_of(std::size_t index) TACTUS_RT {
    if (index < 4) return static_cast<std::int64_t>(index);
    const std::size_t shift = index / 4 - 1;
    return static_cast<std::int64_t>(((4 + index % 4 + 1) << shift) - 1);
  }

  std::atomic<std::int64_t> longest_{0};
  std::array<std::atomic<std::uint64_t>, 256> counts_{};
};

}  // namespace tactus::drivers::can
