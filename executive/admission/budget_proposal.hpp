// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executive/admission/measured_run.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The budget of a job, out of what was measured.
struct ProposedBudget {
  std::string job;
  std::string_view section = "models";  ///< section of the rig file in which it is
  rtsync::Nanoseconds measured{0};
  bool is_max = false;  ///< true: the maximum, as there were too few calls for a p99.99
  std::int64_t calls = 0;
  rtsync::Nanoseconds budget{0};
};

/// Number of calls from which on the p99.99 differs from the maximum.
inline constexpr std::int64_t kCallsForP9999 = 10'000;

/// p99.99 times `factor`, rounded up to three digits; the maximum instead where there were fewer than
/// kCallsForP9999 calls. Of the jobs of `plan` that were called, loops and recordings too, in its order.
/// @when setup
std::vector<ProposedBudget> propose_budgets(const Plan& plan, const MeasuredRun& run, double factor);

/// Writes the budgets as YAML that can be laid over the rig file (`--set @FILE`), with a remark on the origin
/// of each.
std::string budgets_yaml(const std::vector<ProposedBudget>& budgets);

/// Explains why `tactus check` refuses a rig with these budgets, and how to fix that; empty: it does not
/// refuse it.                                                                                     @when setup
std::vector<std::string> unfit_budgets(const Plan& plan, const RigSettings& settings,
                                       const std::vector<ProposedBudget>& budgets);

}  // namespace tactus::executive
