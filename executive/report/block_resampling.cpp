// SPDX-License-Identifier: Apache-2.0
#include "executive/report/block_resampling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rtsync/time/histogram.hpp"

namespace tactus::report {
namespace {

/// splitmix64 (Vigna, public domain).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// P(N <= n) of a Poisson distribution with mean 1, in 2^64ths; beyond the last one nothing is left.
constexpr std::size_t kMostWeight = 18;
std::array<std::uint64_t, kMostWeight> poisson_edges() {
  std::array<std::uint64_t, kMostWeight> edges{};
  long double probability = std::exp(-1.0L);
  long double sum = 0;
  for (std::size_t n = 0; n < edges.size(); ++n) {
    sum += probability;
    edges[n] = static_cast<std::uint64_t>(std::min(sum, 1.0L - 0x1p-60L) * 0x1p63L) << 1U;
    probability /= static_cast<long double>(n + 1);
  }
  return edges;
}

}  // namespace

BlockResampling::BlockResampling(std::size_t quantities, std::uint64_t seed)
    : state_(seed), counted_(quantities) {}

void BlockResampling::draw() {
  static const std::array<std::uint64_t, kMostWeight> edges = poisson_edges();
  for (std::uint32_t& weight : weights_) {
    const std::uint64_t random = next_random(state_);
    weight = 0;
    while (weight < kMostWeight && random > edges[weight]) ++weight;
  }
}

void BlockResampling::end_block() {
  const bool empty =
      std::ranges::all_of(counted_, [](const Counted& counted) { return counted.touched.empty(); });
  if (empty) return;
  ++blocks_;
  draw();
  for (Counted& counted : counted_) {
    for (const std::size_t bucket : counted.touched) {
      if (bucket >= counted.row_of.size()) counted.row_of.resize(bucket + 1);
      if (counted.row_of[bucket] == 0) {
        counted.rows.emplace_back();
        counted.row_of[bucket] = counted.rows.size();
      }
      Row& row = counted.rows[counted.row_of[bucket] - 1];
      const std::uint64_t count = std::exchange(counted.now[bucket], 0);
      for (std::size_t i = 0; i < kResamples; ++i) row[i] += weights_[i] * count;
    }
    counted.touched.clear();
  }
}

std::vector<std::size_t> BlockResampling::quantile_buckets(std::size_t quantity, double share) const {
  const Counted& counted = counted_[quantity];
  Row totals{};
  for (const Row& row : counted.rows)
    for (std::size_t i = 0; i < kResamples; ++i) totals[i] += row[i];
  std::vector<std::uint64_t> ranks(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) ranks[i] = rtsync::rank_of(share, totals[i]);
  Row seen{};
  std::vector<std::size_t> found(kResamples, SIZE_MAX);
  for (std::size_t bucket = 0; bucket < counted.row_of.size(); ++bucket) {
    if (counted.row_of[bucket] == 0) continue;
    const Row& row = counted.rows[counted.row_of[bucket] - 1];
    for (std::size_t i = 0; i < kResamples; ++i) {
      seen[i] += row[i];
      if (found[i] == SIZE_MAX && seen[i] > 0 && seen[i] >= ranks[i]) found[i] = bucket;
    }
  }
  std::erase(found, SIZE_MAX);  // resamples of nothing
  return found;
}

std::vector<double> BlockResampling::shares_from(std::size_t quantity, std::size_t bucket) const {
  const Counted& counted = counted_[quantity];
  Row totals{};
  Row above{};
  for (std::size_t b = 0; b < counted.row_of.size(); ++b) {
    if (counted.row_of[b] == 0) continue;
    const Row& row = counted.rows[counted.row_of[b] - 1];
    for (std::size_t i = 0; i < kResamples; ++i) {
      totals[i] += row[i];
      if (b >= bucket) above[i] += row[i];
    }
  }
  std::vector<double> shares;
  for (std::size_t i = 0; i < kResamples; ++i)
    if (totals[i] > 0) shares.push_back(static_cast<double>(above[i]) / static_cast<double>(totals[i]));
  return shares;
}

Interval middle(std::vector<double> values, double share) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  const double tail = (1 - share) / 2;
  return {values[static_cast<std::size_t>(std::floor(tail * last))],
          values[static_cast<std::size_t>(std::ceil((1 - tail) * last))]};
}

}  // namespace tactus::report
