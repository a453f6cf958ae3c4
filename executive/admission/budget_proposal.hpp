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
  std::string_view section = "models";  ///< of the rig file, where it stands
  rtsync::Nanoseconds measured{0};
  bool is_max = false;  ///< of too few calls for a p99.99: the maximum
  std::int64_t calls = 0;
  rtsync::Nanoseconds budget{0};
};

/// Calls from which on the p99.99 is told from the maximum.
inline constexpr std::int64_t kCallsForP9999 = 10'000;

/// p99.99 times `factor`, rounded up to three digits; the maximum instead where there were fewer than
/// kCallsForP9999 calls. Of the jobs of `plan` that were called, loops and recordings too, in its order.
/// @when setup
std::vector<ProposedBudget> propose_budgets(const Plan& plan, const MeasuredRun& run, double factor);

/// As YAML that can be laid over the rig file (`--set @FILE`), with a remark for each of where it is from.
std::string budgets_yaml(const std::vector<ProposedBudget>& budgets);

/// Why `tactus check` refuses a rig with them, and what to do; empty: it does not.                @when setup
std::vector<std::string> unfit_budgets(const Plan& plan, const RigSettings& settings,
                                       const std::vector<ProposedBudget>& budgets);

}  // namespace tactus::executive
