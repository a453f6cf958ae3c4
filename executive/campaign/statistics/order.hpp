// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "executive/campaign/statistics/pass_rate.hpp"

namespace tactus::campaign {

/// A quantile, and between which values it is.
struct Quantile {
  double value = 0;                     ///< order statistic number ceil(n share)
  std::optional<double> low{}, high{};  ///< bounds of the confidence; nothing: there are too few values
  double confidence = 0;  ///< confidence that both bounds together really have, at least what was asked for
};

/// A quantile of independent draws of any continuous distribution, with bounds that are order statistics: x(r) and x(s)
/// hold it with probability P(r <= B < s), B binomial (n, share). Values are sorted, not empty; NaN is left out before.
/// Source: David, Nagaraja, Order Statistics (2003), 7.1.
Quantile quantile(const std::vector<double>& sorted, double share, double confidence = 0.95);

/// Spearman's rank correlation with the mean rank of equal values, and an interval for independent draws: Fisher's
/// transformation with the variance (1 + r^2/2) / (n - 3).
/// Source: Bonett, Wright, Psychometrika 65 (2000) 23. Pairs with NaN are left out. Nothing: fewer than 4 pairs, or one
/// side is constant.
struct Correlation {
  double rank = 0;
  std::int64_t pairs = 0;
  Interval interval{-1, 1};
};
std::optional<Correlation> rank_correlation(const std::vector<double>& x, const std::vector<double>& y,
                                            double confidence = 0.95);

}  // namespace tactus::campaign
