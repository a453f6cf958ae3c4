// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "executive/admission/admission.hpp"

namespace tactus::app {

/// "  (optional 1, demote 4)" of a job; empty: neither.
std::string policy_text(const executive::PlannedJob& job);
/// Prints the escalations of a plan, the jobs in the order in which they are shed, and what the frames take when all
/// are shed and demoted. Nothing when it has none.
void print_policies(const executive::Plan& plan, const executive::RigSettings& settings,
                    const std::optional<executive::MeasuredRun>& run, executive::MeasuredTime time);

}  // namespace tactus::app
