// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::report {

/// Intervals of figures of a run, by resampling blocks of it: neighbours in time resemble each other, so that
/// single frames would make every interval too narrow. Each resample counts each block as often as a Poisson
/// distribution of mean 1 says, which is the same as drawing blocks with replacement once there are some, and
/// needs no memory for the blocks. The numbers are those of a generator with a seed: the same run gives the
/// same intervals on every machine.
///
///     for each block { for each frame resampling.add(late, bucket); resampling.end_block(); }
///
/// Memory   of the buckets that were used, whatever the length of the run.
class BlockResampling {
 public:
  static constexpr std::size_t kResamples = 400;

  /// `quantities`: how many are counted in buckets, numbered from 0.
  BlockResampling(std::size_t quantities, std::uint64_t seed);

  void add(std::size_t quantity, std::size_t bucket) {
    Counted& counted = counted_[quantity];
    if (bucket >= counted.now.size()) counted.now.resize(bucket + 1);
    if (counted.now[bucket]++ == 0) counted.touched.push_back(bucket);
  }
  void end_block();

  std::uint64_t blocks() const { return blocks_; }
  /// Buckets, one for each resample, that a share of the quantity's values does not exceed.
  std::vector<std::size_t> quantile_buckets(std::size_t quantity, double share) const;
  /// Shares, one for each resample, of values in buckets from `bucket` on.
  std::vector<double> shares_from(std::size_t quantity, std::size_t bucket) const;

 private:
  using Row = std::array<std::uint64_t, kResamples>;
  struct Counted {
    std::vector<std::uint32_t> now;    ///< counts of the block
    std::vector<std::size_t> touched;  ///< its buckets
    std::vector<std::size_t> row_of;   ///< row of each bucket, + 1; 0: it has none
    std::vector<Row> rows;
  };
  void draw();

  std::uint64_t state_;
  std::array<std::uint32_t, kResamples> weights_{};
  std::vector<Counted> counted_;
  std::uint64_t blocks_ = 0;
};

/// The middle 95 % of the values.
struct Interval {
  double from = 0;
  double to = 0;
};
Interval middle(std::vector<double> values, double share = 0.95);

}  // namespace tactus::report
