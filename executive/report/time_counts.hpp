// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/time/histogram.hpp"

namespace tactus::report {

/// Counts times in the buckets that summary.json's numbers come from (1.6 % wide, exact below 128 ns), and
/// can be copied. Least and greatest are exact; a quantile is the greatest time that its bucket got.
class TimeCounts {
 public:
  using Buckets = rtsync::LatencyHistogram;

  /// A negative time counts as 0.
  void add(std::int64_t ns);

  std::uint64_t count() const { return total_; }
  std::int64_t least() const { return total_ == 0 ? 0 : least_; }
  std::int64_t greatest() const { return greatest_; }
  double mean() const { return total_ == 0 ? 0 : sum_ / static_cast<double>(total_); }
  /// The smallest time that a share (0 .. 1) of all does not exceed.
  std::int64_t quantile(double share) const { return at_rank(rtsync::rank_of(share, total_)); }
  std::int64_t at_rank(std::uint64_t rank) const;
  /// Numbers of times in each bucket; as long as the last that holds any.
  const std::vector<std::uint64_t>& buckets() const { return buckets_; }

  /// The greatest time in a bucket that holds any.
  std::int64_t greatest_in(std::size_t bucket) const { return tops_[bucket]; }

  static std::size_t bucket_of(std::int64_t ns) {
    return Buckets::bucket_of(static_cast<std::uint64_t>(ns < 0 ? 0 : ns));
  }
  static std::int64_t upper_edge(std::size_t bucket) {
    return static_cast<std::int64_t>(Buckets::upper_edge(bucket));
  }
  static std::int64_t lower_edge(std::size_t bucket) {
    return static_cast<std::int64_t>(Buckets::lower_edge(bucket));
  }

 private:
  std::vector<std::uint64_t> buckets_;
  std::vector<std::int64_t> tops_;
  std::uint64_t total_ = 0;
  std::int64_t least_ = 0;
  std::int64_t greatest_ = 0;
  double sum_ = 0;
};

/// Times of either sign.
class SignedTimeCounts {
 public:
  void add(std::int64_t ns) { ns < 0 ? below_.add(-ns) : above_.add(ns); }
  std::uint64_t count() const { return below_.count() + above_.count(); }
  std::int64_t least() const { return below_.count() > 0 ? -below_.greatest() : above_.least(); }
  std::int64_t greatest() const { return above_.count() > 0 ? above_.greatest() : -below_.least(); }
  std::int64_t quantile(double share) const;
  double mean() const;
  const TimeCounts& above() const { return above_; }
  const TimeCounts& below() const { return below_; }

 private:
  TimeCounts below_;
  TimeCounts above_;
};

}  // namespace tactus::report
