// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/campaign/draw/method.hpp"

namespace tactus::campaign {

/// A share between two bounds.
struct Interval {
  double low = 0, high = 1;
};

/// The normal quantile of a two-sided confidence: 1.959964 of 0.95.
double two_sided_z(double confidence);

/// Wilson's score interval of a share: p = k/n, z of the confidence,
/// (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). For independent draws alone.
/// Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209; Brown, Cai, DasGupta, Stat. Sci. 16 (2001) 101.
/// Without any draw: 0 .. 1.
Interval wilson(std::int64_t passed, std::int64_t of, double confidence = 0.95);

/// A pass rate, and how sure it is.
struct PassRate {
  std::int64_t passed = 0, of = 0;
  double rate = 0;
  bool has_interval = false;
  Interval interval{};
  std::string why_none{};  ///< reason for no interval
};

/// The rate of cases that were drawn by a method; an interval only where draws are independent. Repetitions of one draw
/// are no independent draws: `of` counts draws then.
PassRate pass_rate(std::int64_t passed, std::int64_t of, Method method, double confidence = 0.95);

}  // namespace tactus::campaign
