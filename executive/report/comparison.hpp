// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "executive/report/block_resampling.hpp"
#include "executive/report/page.hpp"
#include "executive/report/run_data.hpp"
#include "executive/report/verdict.hpp"

namespace tactus::report {

/// A figure of two runs.
struct ComparedFigure {
  enum class Change { less, more, not_certain };

  std::string name;
  std::string baseline{};
  std::string candidate{};
  std::optional<double> ratio{};       ///< candidate by baseline
  std::optional<Interval> interval{};  ///< interval of the ratio, 95 %
  std::string interval_text{};         ///< text of the interval, or why there is none
  Change change = Change::not_certain;
};

/// Percentiles of late and work, and how often frames overran, with intervals by resampling blocks of 0.1 s.
/// A change is certain when its interval excludes 1, and the width of a bucket does not explain it; of a maximum,
/// and of percentiles with too few frames beyond them, none is. Both runs were read to be compared.
std::vector<ComparedFigure> compare(const RunData& baseline, const RunData& candidate);

/// A fact of outcome or host, as each run has it.
struct FactDifference {
  std::string what;
  std::vector<std::string> values;
};
/// Facts that differ between the runs; equal ones are left out.
std::vector<FactDifference> fact_differences(const std::vector<const RunData*>& runs);

Section comparison_section(const RunData& baseline, const RunData& candidate);
/// "B against A: late p99 is 1.8 to 2.3 times as long; nothing else is certain".
Verdict verdict_of(const RunData& baseline, const RunData& candidate);

}  // namespace tactus::report
