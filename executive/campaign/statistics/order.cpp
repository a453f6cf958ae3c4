// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/order.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

namespace tactus::campaign {
namespace {

/// Ranks from 1; equal values have the mean of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) result[order[i]] = static_cast<double>(first + last) / 2 + 1;
    first = last + 1;
  }
  return result;
}

}  // namespace

Quantile quantile(const std::vector<double>& sorted, double share, double confidence) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  const auto place = [&](double at) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(at - 1e-9)), 1, n);
  };
  Quantile result{.value = sorted[static_cast<std::size_t>(place(static_cast<double>(n) * share) - 1)]};
  const boost::math::binomial_distribution<double> binomial(static_cast<double>(n), share);
  const auto below = [&](std::int64_t r) { return boost::math::cdf(binomial, static_cast<double>(r - 1)); };
  const auto from = [&](std::int64_t s) {
    return boost::math::cdf(boost::math::complement(binomial, static_cast<double>(s - 1)));
  };
  // The first number of 1 .. n for which it does not hold any more; n + 1: it holds for all.
  const auto first_without = [n](auto holds) {
    std::int64_t least = 1, most = n + 1;
    while (least < most) {
      const std::int64_t middle = (least + most) / 2;
      if (holds(middle))
        least = middle + 1;
      else
        most = middle;
    }
    return least;
  };
  const double outside = (1 - confidence) / 2;
  // The greatest r with P(B < r) <= outside, which rises, and the least s with P(B >= s) <= outside, which falls.
  const std::int64_t r = first_without([&](std::int64_t number) { return below(number) <= outside; }) - 1;
  const std::int64_t s = first_without([&](std::int64_t number) { return from(number) > outside; });
  const double under = r >= 1 ? below(r) : 0, over = s <= n ? from(s) : 0;
  if (r >= 1) result.low = sorted[static_cast<std::size_t>(r - 1)];
  if (s <= n) result.high = sorted[static_cast<std::size_t>(s - 1)];
  result.confidence = 1 - under - over;
  return result;
}

std::optional<Correlation> rank_correlation(const std::vector<double>& x, const std::vector<double>& y,
                                            double confidence) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) continue;
    a.push_back(x[i]);
    b.push_back(y[i]);
  }
  if (a.size() < 4) return std::nullopt;
  a = ranks(a);
  b = ranks(b);
  const double n = static_cast<double>(a.size()), mean = (n + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  Correlation result{.rank = std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0),
                     .pairs = static_cast<std::int64_t>(a.size())};
  const double bounded = std::clamp(result.rank, -1 + 1e-12, 1 - 1e-12);
  const double half = two_sided_z(confidence) * std::sqrt((1 + bounded * bounded / 2) / (n - 3));
  result.interval = {std::tanh(std::atanh(bounded) - half), std::tanh(std::atanh(bounded) + half)};
  return result;
}

}  // namespace tactus::campaign
