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
    bump(counts_[bucket_of(value)]);
    bump(total_);
    if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
    if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
  }

  /// Brings near what add(time) will touch.                                                      @when any
  void prefetch(Nanoseconds time) const TACTUS_RT {
    const auto value = static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count());
    __builtin_prefetch(&counts_[bucket_of(value)], 1);
    __builtin_prefetch(&total_, 1);
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

  /// How many times lie in [from, to), counted by the buckets' lower edges. @when service
  std::uint64_t between(Nanoseconds from, Nanoseconds to) const {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const auto edge = static_cast<std::int64_t>(lower_edge(i));
      if (edge >= from.count() && edge < to.count()) seen += counts_[i].load(std::memory_order_relaxed);
    }
    return seen;
  }

  /// Calls visit(from, to, count) for each bucket that has any: times in [from, to), ascending. @when service
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < kBuckets; ++i)
      if (const std::uint64_t count = counts_[i].load(std::memory_order_relaxed); count > 0)
        visit(static_cast<std::int64_t>(lower_edge(i)), static_cast<std::int64_t>(upper_edge(i)) + 1, count);
  }

  /// Forgets everything. Only while nobody writes.                                                @when setup
  void clear() {
    for (auto& count : counts_) count.store(0, std::memory_order_relaxed);
    total_.store(0, std::memory_order_relaxed);
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
};

using LatencyHistogram = Histogram<6>;  ///< 1.6 %, 30 KB: per rig
using JobHistogram = Histogram<3>;      ///< 12.5 %, 4 KB: per job

/// Times of either sign (slack): what lies below zero is counted by its size.
class SignedHistogram {
 public:
  void add(Nanoseconds time) TACTUS_RT {
    if (time.count() < 0) {
      below_.add(-time);
    } else {
      above_.add(time);
    }
  }
  std::uint64_t count() const TACTUS_RT { return below_.count() + above_.count(); }
  /// Of the sizes of what lies below zero, and of the rest.
  const LatencyHistogram& below() const TACTUS_RT { return below_; }
  const LatencyHistogram& above() const TACTUS_RT { return above_; }
  Nanoseconds min() const TACTUS_RT { return below_.count() > 0 ? -below_.max() : above_.min(); }
  Nanoseconds max() const TACTUS_RT { return above_.count() > 0 ? above_.max() : -below_.min(); }
  /// As Histogram::quantile. @when service
  Nanoseconds quantile(double share) const {
    const std::uint64_t rank = rank_of(share, count());
    const std::uint64_t negative = below_.count();
    return rank <= negative ? -below_.at_rank(negative - rank + 1) : above_.at_rank(rank - negative);
  }

 private:
  LatencyHistogram below_;
  LatencyHistogram above_;
};

}  // namespace tactus::rtsync
