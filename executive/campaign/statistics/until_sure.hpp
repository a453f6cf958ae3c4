// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "executive/campaign/statistics/pass_rate.hpp"

namespace tactus::campaign {

/// Rule that ends drawing: once the interval of the pass rate is narrow enough, asked after every case.
///
/// Ending at the first narrow interval makes intervals cover less than they say, since chance decides when that is. So
/// the interval is Wilson's at a higher confidence, which is the least one at which the exact coverage of the whole
/// procedure is at least the confidence asked for, at each of 199 pass rates from 0.5 % to 99.5 %. The coverage is
/// exact: the number of ways to each end is counted once, and weighted by each pass rate.
/// Source: J. Frey, Am. Stat. 64 (2010) 242, "Fixed-width sequential confidence intervals for a proportion".
///
/// Threads  immutable after construction.
class UntilSure {
 public:
  /// confidence 0.5 .. 0.999, half_width 0.005 .. 0.49. Takes seconds for the narrowest.        @when service
  UntilSure(double confidence, double half_width);

  /// Returns true once no further case is needed.
  bool enough(std::int64_t passed, std::int64_t of) const;
  /// The interval that covers the pass rate with the confidence asked for, at the end.
  Interval interval(std::int64_t passed, std::int64_t of) const { return wilson(passed, of, inner_); }
  /// Confidence of Wilson's interval inside: above the one asked for.
  double inner_confidence() const { return inner_; }
  /// Cases that are needed at most, at a pass rate of one half.
  std::int64_t most_cases() const { return most_; }
  /// Least probability of the interval at the end to hold the pass rate, over the rates that are looked at.
  double coverage() const { return coverage_; }

 private:
  double half_width_, inner_, z2_ = 0, coverage_ = 0;
  std::int64_t most_ = 0;
};

/// The end of draws that were taken until their pass rate was sure.
struct SureEnd {
  std::int64_t passed = 0, of = 0;  ///< draws that count
  std::int64_t left_out = 0;        ///< draws that ran beside the last one that counts, and do not

  /// Counts one more draw, or leaves it out where no further one is needed.
  void take(bool passes, const UntilSure& sure) {
    if (sure.enough(passed, of)) return void(++left_out);
    ++of;
    passed += passes ? 1 : 0;
  }
};

/// Takes draws in batches, and counts them one by one in their order, not in that in which they end: it stops at the
/// draw at which one at a time would have stopped, and leaves out what ran beside it. So the coverage is that of
/// UntilSure, whatever the size of a batch. `run(first, count)` returns which of these draws pass; an entry of -1: the
/// draw has no cases, and does not count.                                                      @when service
SureEnd draw_until_sure(const UntilSure& sure, std::int64_t draws, std::int64_t at_a_time,
                        const std::function<std::vector<int>(std::int64_t first, std::int64_t count)>& run);

}  // namespace tactus::campaign
