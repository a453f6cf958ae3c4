// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/budget_room.hpp"

#include "config/number.hpp"
#include "executive/model/job_class.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

using rtsync::Period;

std::optional<BudgetRoom> room_of_thread(const Plan& plan, std::size_t thread) {
  if (!plan.is_asynchronous(thread)) {
    const Period frame = rtsync::real_period(plan.frame, plan.ratio);
    return BudgetRoom{frame, "a frame lasts " + config::print_period(frame)};
  }
  const PlannedThread& worker = plan.threads[thread - 1];
  if (worker.kind == ThreadKind::asynchronous || worker.period.is_zero()) return std::nullopt;
  const Period period = rtsync::real_period(worker.period, plan.ratio);
  return BudgetRoom{period, "the period of thread '" + worker.name + "' is " + config::print_period(period)};
}

std::optional<BudgetRoom> room_of_call(const Plan& plan, std::size_t thread, const Period& cycle) {
  std::optional<BudgetRoom> room = room_of_thread(plan, thread);
  if (!room || cycle.is_zero()) return room;
  const Period real = rtsync::real_period(cycle, plan.ratio);
  if (real < room->time) room = BudgetRoom{real, "it is called every " + config::print_period(real)};
  return room;
}

std::optional<BudgetRoom> room_of_job(const Plan& plan, const PlannedJob& job) {
  const bool has_cycle = is_cyclic(job.job_class) || is_integration(job.job_class);
  return room_of_call(plan, job.thread, has_cycle && !job.dynamic ? job.cycle : Period{});
}

}  // namespace tactus::executive
