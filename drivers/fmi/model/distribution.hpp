// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A distribution of times in classes of four for each power of two, with the causes of those that are too large.
///
/// Threads  add(), add_nothing(): one. fill(): any, and sees what was added so far. RT: all but fill().
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tactus/model_driver.hpp>

namespace tactus::drivers::fmi {

class Distribution {
 public:
  static constexpr std::size_t kMostCauses = 4;

  /// Adds a time of 0 s.
  void add_nothing() noexcept { bump(counts_[0]); }
  /// Adds a time; one that is too large is counted for a cause, below kMostCauses.
  void add(double seconds, bool too_large, std::size_t cause) noexcept {
    const double ns = std::isfinite(seconds) ? std::min(std::max(seconds * 1e9, 0.0), kMostNs) : 0;
    bump(counts_[class_of(static_cast<std::uint64_t>(ns))]);
    if (ns > longest_.load(std::memory_order_relaxed)) longest_.store(ns, std::memory_order_relaxed);
    if (too_large) bump(causes_[cause]);
  }
  /// Shows it, with names for the first causes.                                               @when service
  template <std::size_t kNames>
  void fill(MeasuredHistogram& to, double limit, const std::array<const char*, kNames>& causes) const {
    static_assert(kNames <= kMostCauses);
    to.unit = "s";
    to.longest = longest_.load(std::memory_order_relaxed) * 1e-9;
    to.limit = limit;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (const std::uint64_t count = counts_[i].load(std::memory_order_relaxed); count > 0) {
        to.classes.push_back({static_cast<double>(end_of(i)) * 1e-9, count});
        to.count += count;
      }
    for (std::size_t i = 0; i < kNames; ++i)
      to.shares.push_back({causes[i], causes_[i].load(std::memory_order_relaxed)});
  }

 private:
  static constexpr double kMostNs = 9e18;

  static void bump(std::atomic<std::uint64_t>& count) noexcept {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  static std::size_t class_of(std::uint64_t value) noexcept {
    if (value < 4) return value;
    const auto width = static_cast<unsigned>(std::bit_width(value));
    return (width - 2U) * 4U + (value >> (width - 3U) & 3U);
  }
  static std::uint64_t end_of(std::size_t index) noexcept {
    if (index < 4) return index;
    const std::size_t shift = index / 4 - 1;
    return (((4 + std::uint64_t{index % 4} + 1) << shift) - 1);
  }

  std::array<std::atomic<std::uint64_t>, 256> counts_{};
  std::array<std::atomic<std::uint64_t>, kMostCauses> causes_{};
  std::atomic<double> longest_{0};
};

}  // namespace tactus::drivers::fmi
