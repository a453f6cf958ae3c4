// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/until_sure.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::campaign {
namespace {

/// A way to end: after that many cases, this number passed, with the logarithm of the number of orders that lead there.
struct End {
  std::int64_t passed, of;
  double log_ways;
};

/// All ends: the number of orders of passes and failures to each, without one that ends before.
std::vector<End> ends_of(const UntilSure& sure) {
  std::vector<End> ends;
  std::vector<double> ways{1};  // of each number passed, scaled
  double log_scale = 0;
  for (std::int64_t n = 1;; ++n) {
    std::vector<double> next(static_cast<std::size_t>(n) + 1, 0.0);
    double greatest = 0;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (ways[k] == 0) continue;
      next[k] += ways[k];
      next[k + 1] += ways[k];
    }
    bool goes_on = false;
    for (std::size_t k = 0; k < next.size(); ++k) {
      if (next[k] == 0) continue;
      if (sure.enough(static_cast<std::int64_t>(k), n)) {
        ends.push_back({static_cast<std::int64_t>(k), n, std::log(next[k]) + log_scale});
        next[k] = 0;
      } else {
        goes_on = true;
        greatest = std::max(greatest, next[k]);
      }
    }
    if (!goes_on) return ends;
    if (greatest > 1e200) {
      for (double& each : next) each /= greatest;
      log_scale += std::log(greatest);
    }
    ways = std::move(next);
  }
}

double least_coverage(const std::vector<End>& ends, double inner) {
  std::vector<Interval> intervals;
  for (const End& end : ends) intervals.push_back(wilson(end.passed, end.of, inner));
  double least = 1;
  for (int step = 1; step < 200; ++step) {
    const double p = step / 200.0, yes = std::log(p), no = std::log1p(-p);
    double covered = 0;
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (intervals[i].low <= p && p <= intervals[i].high)
        covered += std::exp(ends[i].log_ways + static_cast<double>(ends[i].passed) * yes +
                            static_cast<double>(ends[i].of - ends[i].passed) * no);
    least = std::min(least, covered);
  }
  return least;
}

}  // namespace

UntilSure::UntilSure(double confidence, double half_width) : half_width_(half_width), inner_(confidence) {
  // The risk inside falls by steps of a tenth until the whole covers enough: at most some ten steps.
  for (double risk = 1 - confidence;; risk *= 0.9) {
    inner_ = 1 - risk;
    z2_ = two_sided_z(inner_) * two_sided_z(inner_);
    const std::vector<End> ends = ends_of(*this);
    coverage_ = least_coverage(ends, inner_);
    most_ = ends.back().of;
    if (coverage_ >= confidence) return;
  }
}

/// (high - low) / 2 <= half_width of Wilson's interval, by its z.
bool UntilSure::enough(std::int64_t passed, std::int64_t of) const {
  if (of <= 0) return false;
  const double n = static_cast<double>(of), p = static_cast<double>(passed) / n;
  const double half = std::sqrt(z2_ * (p * (1 - p) / n + z2_ / (4 * n * n))) / (1 + z2_ / n);
  // At 0 and n passed the interval ends at 0 and 1, which makes it no wider.
  return half <= half_width_;
}

SureEnd draw_until_sure(const UntilSure& sure, std::int64_t draws, std::int64_t at_a_time,
                        const std::function<std::vector<int>(std::int64_t, std::int64_t)>& run) {
  SureEnd end;
  for (std::int64_t first = 0; first < draws && !sure.enough(end.passed, end.of);) {
    const std::int64_t count = std::min(std::max<std::int64_t>(at_a_time, 1), draws - first);
    for (const int passes : run(first, count))
      if (passes >= 0) end.take(passes > 0, sure);
    first += count;
  }
  return end;
}

}  // namespace tactus::campaign
