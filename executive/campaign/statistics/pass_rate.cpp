// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/statistics/pass_rate.hpp"

#include <algorithm>
#include <cmath>

#include "executive/campaign/draw/normal.hpp"

namespace tactus::campaign {

double two_sided_z(double confidence) { return normal_quantile((1 + confidence) / 2); }

Interval wilson(std::int64_t passed, std::int64_t of, double confidence) {
  if (of <= 0) return {};
  const double n = static_cast<double>(of), p = static_cast<double>(passed) / n, z = two_sided_z(confidence);
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {passed == 0 ? 0 : std::max(0.0, middle - half), passed == of ? 1 : std::min(1.0, middle + half)};
}

PassRate pass_rate(std::int64_t passed, std::int64_t of, Method method, double confidence) {
  PassRate result{.passed = passed, .of = of};
  result.rate = of > 0 ? static_cast<double>(passed) / static_cast<double>(of) : 0;
  switch (method) {
    case Method::monte_carlo:
      result.has_interval = of > 0;
      if (of == 0) result.why_none = "no case has ended";
      if (of > 0) result.interval = wilson(passed, of, confidence);
      break;
    case Method::matrix:
    case Method::list:
      result.why_none = "the cases were chosen, not drawn: they are all there are, and stand for no others";
      break;
    case Method::sobol:
      result.why_none =
          "Sobol's points fill the space evenly, they are not independent: the rate is nearer to the truth "
          "than an interval for independent draws says";
      break;
    case Method::latin_hypercube:
      result.why_none =
          "the points of a Latin hypercube exclude each other's strata, they are not independent: the rate "
          "is nearer to the truth than an interval for independent draws says";
      break;
  }
  return result;
}

}  // namespace tactus::campaign
