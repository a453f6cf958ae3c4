// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Nearest rank: the position (from 1) of the value that a share (0 .. 1) of `total` values does not exceed.
inline std::uint64_t rank_of(double share, std::uint64_t total) {
  const double exact = std::ceil(share * static_cast<double>(total) - 1e-9);
  return exact < 1 ? std::min<std::uint64_t>(1, total) : std::min(static_cast<std::uint64_t>(exact), total);
}

/// Counts times in buckets of constant relative width: values below 2^(Bits+1) ns exactly, above that to 1
/// part in 2^Bits. Minimum and maximum are exact. Negative times count as 0.
///
/// Threads  one writer; readers on other threads see every single count, perhaps one frame late.
/// RT       add(): one bucket, no branch on the past.
template <unsigned Bits>
class Histogram {
 public:
  static constexpr std::size_t kBuckets = static_cast<std::size_t>(64 - Bits) << Bits;

  void add(Nanoseconds time) TACTUS_RT {
    const auto value = static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count());
    const std::size_t bucket = bucket_of(value);
    bump(counts_[bucket]);
    bump(total_);
    if (bucket < middle_) ++below_;
    if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
    if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
  }

  std::uint64_t count() const TACTUS_RT { return total_.load(std::memory_order_relaxed); }
  Nanoseconds max() const TACTUS_RT {
    return Nanoseconds{static_cast<std::int64_t>(max_.load(std::memory_order_relaxed))};
  }
  Nanoseconds min() const TACTUS_RT {
    const std::uint64_t least = min_.load(std::memory_order_relaxed);
    return Nanoseconds{least == UINT64_MAX ? 0 : static_cast<std::int64_t>(least)};
  }

  /// The rank-th smallest recorded time (1 .. count), to the width of its bucket: its upper edge, never above
  /// max. 0 when nothing was recorded. @when service
  Nanoseconds at_rank(std::uint64_t rank) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i].load(std::memory_order_relaxed);
      if (seen >= rank && seen > 0)
        return std::min(Nanoseconds{static_cast<std::int64_t>(upper_edge(i))}, max());
    }
    return max();
  }
  /// The smallest recorded time that a share (0 .. 1) of all times does not exceed. @when service
  Nanoseconds quantile(double share) const { return at_rank(rank_of(share, count())); }

  /// quantile(0.5), for the thread that adds. It continues from where it stood at the last call: a few steps
  /// where times stay alike. @when rt
  Nanoseconds median() const TACTUS_RT {
    const std::uint64_t total = count();
    if (total == 0) return Nanoseconds{0};
    const std::uint64_t rank = (total + 1) / 2;
    while (below_ >= rank) below_ -= counts_[--middle_].load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t here = counts_[middle_].load(std::memory_order_relaxed);
      if (below_ + here >= rank) break;
      below_ += here;
      ++middle_;
    }
    return std::min(Nanoseconds{static_cast<std::int64_t>(upper_edge(middle_))}, max());
  }

  /// Number of times in [from, to), counted by the buckets' lower edges.    @when service
  std::uint64_t between(Nanoseconds from, Nanoseconds to) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const auto edge = static_cast<std::int64_t>(lower_edge(i));
      if (edge >= from.count() && edge < to.count()) seen += counts_[i].load(std::memory_order_relaxed);
    }
    return seen;
  }

  /// Calls visit(from, to, count) for each bucket that has any: times in [from, to), ascending. Fewer bits make
  /// wider buckets. @when service
  template <unsigned Wanted = Bits, class Visit>
  void each(Visit visit) const {
    static_assert(Wanted <= Bits);
    using Merged = Histogram<Wanted>;
    std::size_t now = 0;
    std::uint64_t sum = 0;
    const auto end = [&] {
      if (sum > 0)
        visit(static_cast<std::int64_t>(Merged::lower_edge(now)),
              static_cast<std::int64_t>(Merged::upper_edge(now)) + 1, sum);
    };
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const std::uint64_t count = counts_[i].load(std::memory_order_relaxed);
      if (count == 0) continue;
      if (const std::size_t wide = Merged::bucket_of(lower_edge(i)); wide != now) {
        end();
        now = wide;
        sum = 0;
      }
      sum += count;
    }
    end();
  }

  /// Forgets everything. Only while no thread writes.                                             @when setup
  void clear() {
    for (auto& count : counts_) count.store(0, std::memory_order_relaxed);
    total_.store(0, std::memory_order_relaxed);
    middle_ = 0;
    below_ = 0;
    max_.store(0, std::memory_order_relaxed);
    min_.store(UINT64_MAX, std::memory_order_relaxed);
  }

  static constexpr std::size_t bucket_of(std::uint64_t value) TACTUS_RT {
    const unsigned width = static_cast<unsigned>(std::bit_width(value));
    const unsigned shift = width > Bits + 1 ? width - (Bits + 1) : 0;
    return (static_cast<std::size_t>(shift) << Bits) + static_cast<std::size_t>(value >> shift);
  }
  static constexpr std::uint64_t lower_edge(std::size_t bucket) TACTUS_RT {
    if (bucket < (std::size_t{2} << Bits)) return bucket;
    const std::size_t shift = (bucket >> Bits) - 1;
    return (static_cast<std::uint64_t>(bucket) - (static_cast<std::uint64_t>(shift) << Bits)) << shift;
  }
  static constexpr std::uint64_t upper_edge(std::size_t bucket) TACTUS_RT {
    return bucket + 1 >= kBuckets ? UINT64_MAX >> 1 : lower_edge(bucket + 1) - 1;
  }

 private:
  // A single writer: load and store, not a locked read-modify-write.
  static void bump(std::atomic<std::uint64_t>& count) TACTUS_RT {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> max_{0};
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  // The writer's: the bucket of the median when it was asked for last, and how many times lie below that.
  mutable std::size_t middle_ = 0;
  mutable std::uint64_t below_ = 0;
};

using LatencyHistogram = Histogram<6>;  ///< 1.6 %, 30 KB: per rig
using JobHistogram = Histogram<3>;      ///< 12.5 %, 4 KB: per job

/// Slack, of either sign, finest where it matters: what lies below half a period is counted by its distance from
/// zero, what lies above by its distance from the whole period.
///
/// Threads  as Histogram.
/// RT       add(): as Histogram::add.
class SlackHistogram {
 public:
  /// Sets the period; to be called before the first add(). Without a period all is counted from zero.
  /// @when setup
  void set_period(Nanoseconds period) { period_ = period; }

  void add(Nanoseconds slack) TACTUS_RT {
    if (slack.count() < 0)
      below_.add(-slack);
    else if (slack > period_)
      beyond_.add(slack);
    else if (slack < period_ / 2)
      low_.add(slack);
    else
      high_.add(period_ - slack);
  }
  std::uint64_t count() const TACTUS_RT {
    return below_.count() + low_.count() + high_.count() + beyond_.count();
  }
  Nanoseconds min() const TACTUS_RT {
    if (below_.count() > 0) return -below_.max();
    if (low_.count() > 0) return low_.min();
    return high_.count() > 0 ? period_ - high_.max() : beyond_.min();
  }
  Nanoseconds max() const TACTUS_RT {
    if (beyond_.count() > 0) return beyond_.max();
    if (high_.count() > 0) return period_ - high_.min();
    return low_.count() > 0 ? low_.max() : -below_.min();
  }
  /// Returns the quantile, as Histogram::quantile does. @when service
  Nanoseconds quantile(double share) const {
    std::uint64_t rank = rank_of(share, count());
    if (rank <= below_.count()) return -below_.at_rank(below_.count() - rank + 1);
    rank -= below_.count();
    if (rank <= low_.count()) return low_.at_rank(rank);
    rank -= low_.count();
    if (rank <= high_.count()) return period_ - high_.at_rank(high_.count() - rank + 1);
    return beyond_.at_rank(rank - high_.count());
  }
  /// Calls visit(from, to, count) for each bucket that has any: slack in [from, to). @when service
  template <unsigned Wanted = 6, class Visit>
  void each(Visit visit) const {
    const std::int64_t period = period_.count();
    const std::int64_t half = period / 2;
    below_.each<Wanted>(
        [&](std::int64_t from, std::int64_t to, std::uint64_t count) { visit(1 - to, 1 - from, count); });
    low_.each<Wanted>([&](std::int64_t from, std::int64_t to, std::uint64_t count) {
      visit(from, std::min(to, half), count);
    });
    high_.each<Wanted>([&](std::int64_t from, std::int64_t to, std::uint64_t count) {
      visit(std::max(period - to + 1, half), period - from + 1, count);
    });
    beyond_.each<Wanted>([&](std::int64_t from, std::int64_t to, std::uint64_t count) {
      visit(std::max(from, period + 1), to, count);
    });
  }

 private:
  Nanoseconds period_{0};
  LatencyHistogram below_;  // sizes of what lies below zero
  LatencyHistogram low_;
  LatencyHistogram high_;    // distances from the period
  LatencyHistogram beyond_;  // more than a period: after lost slots, and on clocks that are bent
};

}  // namespace tactus::rtsync
