// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/draw/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "executive/campaign/draw/normal.hpp"

namespace tactus::campaign {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSeldom = 0.001;  ///< share beyond the ends that lowest() and highest() name

double normal_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double unbounded_quantile(const Distribution& d, double share) {
  using enum Distribution::Kind;
  switch (d.kind) {
    case weights:
      break;
    case uniform:
      return d.a + share * (d.b - d.a);
    case log_uniform:
      return std::exp(std::log(d.a) + share * (std::log(d.b) - std::log(d.a)));
    case normal:
      return d.a + d.b * normal_quantile(share);
    case lognormal:
      return d.a * std::exp(d.b * normal_quantile(share));
    case triangular: {
      const double width = d.b - d.a, rise = d.c - d.a, fall = d.b - d.c;
      if (share * width < rise) return d.a + std::sqrt(share * width * rise);
      return d.b - std::sqrt((1 - share) * width * fall);
    }
  }
  return 0;
}

double index_of(const std::vector<double>& weights, double share) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double before = 0;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    before += weights[i];
    if (share * sum < before) return static_cast<double>(i);
  }
  return static_cast<double>(weights.size() - 1);
}

}  // namespace

Distribution::Distribution() : low(-kInfinity), high(kInfinity) {}

double Distribution::below(double x) const {
  switch (kind) {
    case Kind::weights:
      break;
    case Kind::uniform:
      return std::clamp((x - a) / (b - a), 0.0, 1.0);
    case Kind::log_uniform:
      return x <= a ? 0 : x >= b ? 1 : std::log(x / a) / std::log(b / a);
    case Kind::normal:
      return normal_below((x - a) / b);
    case Kind::lognormal:
      return x <= 0 ? 0 : normal_below(std::log(x / a) / b);
    case Kind::triangular:
      if (x <= a) return 0;
      if (x >= b) return 1;
      return x < c ? (x - a) * (x - a) / ((b - a) * (c - a)) : 1 - (b - x) * (b - x) / ((b - a) * (b - c));
  }
  return 0;
}

double Distribution::quantile(double share) const {
  if (kind == Kind::weights) return index_of(weights, share);
  const double from = std::isinf(low) ? 0 : below(low);
  const double until = std::isinf(high) ? 1 : below(high);
  return std::clamp(unbounded_quantile(*this, from + share * (until - from)), low, high);
}

double Distribution::least() const {
  const bool ends = kind == Kind::uniform || kind == Kind::log_uniform || kind == Kind::triangular;
  return ends ? std::max(a, low) : kind == Kind::lognormal ? std::max(0.0, low) : low;
}

double Distribution::most() const {
  const bool ends = kind == Kind::uniform || kind == Kind::log_uniform || kind == Kind::triangular;
  return ends ? std::min(b, high) : high;
}

double Distribution::lowest() const {
  if (kind == Kind::weights) return 0;
  return kind == Kind::lognormal || std::isinf(least()) ? quantile(kSeldom) : least();
}

double Distribution::highest() const {
  if (kind == Kind::weights) return static_cast<double>(weights.size()) - 1;
  return std::isinf(most()) ? quantile(1 - kSeldom) : most();
}

}  // namespace tactus::campaign
