// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Longest time that something may take, and why.
struct BudgetRoom {
  rtsync::Period time;
  std::string why;
};

/// Time that a thread of a plan in real time has for all of its jobs; nothing: unlimited.      @when setup
std::optional<BudgetRoom> room_of_thread(const Plan& plan, std::size_t thread);
/// Time that the thread has for one call of something with a cycle. @when setup
std::optional<BudgetRoom> room_of_call(const Plan& plan, std::size_t thread, const rtsync::Period& cycle);
/// Time that the thread has for a job, or a loop as a job. @when setup
std::optional<BudgetRoom> room_of_job(const Plan& plan, const PlannedJob& job);

}  // namespace tactus::executive
