// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/frame/job_budgets.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// A line for each job and thread that has taken more than its budget since the last call.
/// @when service
std::vector<std::string> take_budget_lines(const Plan& plan, JobBudgets& budgets);

}  // namespace tactus::executive
