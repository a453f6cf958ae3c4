// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/report/min_max_columns.hpp"

namespace tactus::report {

/// The recorded curves around the decision of an expectation, one for each variable of its chart.
struct VerdictCurves {
  struct Curve {
    std::string name;
    std::string unit;
    MinMaxColumns columns;
  };
  std::string expectation;
  std::int64_t from_ns = 0, to_ns = 0;  ///< simulated times
  std::vector<Curve> curves{};          ///< variables that were recorded; the first of the chart first
};

/// Reads the curves of expectations of a run, as `test` of summary.json has them: of those that failed the seconds around
/// the failure, then of others with a band the whole run, up to a limit. What was kept around a failure comes before the recordings. A recording that cannot be read has no curves.
/// @when service
std::vector<VerdictCurves> read_verdict_curves(const std::filesystem::path& folder, const config::Json& test,
                                               std::int64_t period_ns);

}  // namespace tactus::report
