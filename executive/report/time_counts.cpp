// SPDX-License-Identifier: Apache-2.0
#include "executive/report/time_counts.hpp"

#include <algorithm>

namespace tactus::report {

void TimeCounts::add(std::int64_t ns) {
  ns = std::max<std::int64_t>(0, ns);
  const std::size_t bucket = bucket_of(ns);
  if (bucket >= buckets_.size()) {
    buckets_.resize(bucket + 1);
    tops_.resize(bucket + 1);
  }
  ++buckets_[bucket];
  tops_[bucket] = std::max(tops_[bucket], ns);
  least_ = total_ == 0 ? ns : std::min(least_, ns);
  greatest_ = std::max(greatest_, ns);
  ++total_;
  sum_ += static_cast<double>(ns);
}

std::int64_t TimeCounts::at_rank(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0) return tops_[i];
  }
  return greatest_;
}

std::int64_t SignedTimeCounts::quantile(double share) const {
  const std::uint64_t rank = rtsync::rank_of(share, count());
  const std::uint64_t negative = below_.count();
  return rank <= negative && negative > 0 ? -below_.at_rank(negative - rank + 1)
                                          : above_.at_rank(rank - negative);
}

double SignedTimeCounts::mean() const {
  if (count() == 0) return 0;
  const auto share = [this](const TimeCounts& part) {
    return part.mean() * static_cast<double>(part.count()) / static_cast<double>(count());
  };
  return share(above_) - share(below_);
}

}  // namespace tactus::report
