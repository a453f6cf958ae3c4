// SPDX-License-Identifier: Apache-2.0
// What jobs and threads may take, and whether a frame has so much.
#include <algorithm>
#include <optional>
#include <string>

#include "config/number.hpp"
#include "executive/model/job_class.hpp"
#include "executive/plan/sections.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

/// How long something may take at most, and why.
struct Room {
  Period time;
  std::string why;
};

/// What a thread has for all of its jobs; nothing: as long as it likes.
std::optional<Room> room_of_thread(const Draft& draft, std::size_t thread) {
  const Plan& plan = draft.plan;
  if (!draft.settings.realtime.enabled) return std::nullopt;
  if (!plan.is_asynchronous(thread)) {
    const Period frame = rtsync::real_period(plan.frame, plan.ratio);
    return Room{frame, "a frame lasts " + config::print_period(frame)};
  }
  const PlannedThread& worker = plan.threads[thread - 1];
  if (worker.kind == ThreadKind::asynchronous || worker.period.is_zero()) return std::nullopt;
  const Period period = rtsync::real_period(worker.period, plan.ratio);
  return Room{period, "the period of thread '" + worker.name + "' is " + config::print_period(period)};
}

/// What it has for one call of something with a cycle.
std::optional<Room> room_of_call(const Draft& draft, std::size_t thread, const Period& cycle) {
  std::optional<Room> room = room_of_thread(draft, thread);
  if (!room || cycle.is_zero()) return room;
  const Period real = rtsync::real_period(cycle, draft.plan.ratio);
  if (real < room->time) room = Room{real, "it is called every " + config::print_period(real)};
  return room;
}

void take(Draft& draft, const Budget& budget, const std::optional<Room>& room,
          std::optional<rtsync::Nanoseconds>& planned) {
  if (!budget) return;
  planned = budget->value;
  if (room && room->time < Period(budget->value))
    draft.problems.add(*budget, config::print_duration(budget->value) + " does not fit: " + room->why +
                                    "; lower the budget, or give it more time");
}

void take_of_job(Draft& draft, const Budget& budget, PlannedJob& job) {
  if (!budget) return;
  const bool frames = job.job_class == TACTUS_TOP_OF_FRAME || job.job_class == TACTUS_END_OF_FRAME;
  if (is_integration(job.job_class)) {
    draft.problems.add(*budget,
                       "is of class " + std::string(name_of(job.job_class)) +
                           ", whose loop is measured as a whole; set the loop's budget in 'integrate'");
  } else if (!is_cyclic(job.job_class) && !frames) {
    draft.problems.add(*budget, "is of class " + std::string(name_of(job.job_class)) +
                                    ", which no frame calls; only jobs of frames have a budget");
  } else {
    const Period cycle = is_cyclic(job.job_class) && !job.dynamic ? job.cycle : Period{};
    take(draft, budget, room_of_call(draft, job.thread, cycle), job.budget);
  }
}

PlannedJob* find_job(Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.jobs.begin(), plan.jobs.end(),
                                  [&](const PlannedJob& job) { return job.name == name; });
  return found == plan.jobs.end() ? nullptr : &*found;
}

}  // namespace

void plan_budgets(Draft& draft) {
  const RigSettings& settings = draft.settings;
  Plan& plan = draft.plan;
  for (const ModelSettings& model : settings.models)
    for (const JobSettings& job : model.jobs)
      if (PlannedJob* const planned = find_job(plan, model.name + "." + job.name))
        take_of_job(draft, job.budget, *planned);
  for (const RecordingSettings& recording : settings.record)
    if (PlannedJob* const planned = find_job(plan, "record." + recording.name))
      take_of_job(draft, recording.budget, *planned);
  for (std::size_t i = 0; i < plan.loops.size(); ++i)
    take(draft, settings.integrate[i].budget, room_of_call(draft, plan.loops[i].thread, plan.loops[i].cycle),
         plan.loops[i].budget);
  take(draft, settings.threads.main.budget, room_of_thread(draft, 0), plan.main_budget);
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    take(draft, settings.threads.workers[i].budget, room_of_thread(draft, i + 1), plan.threads[i].budget);
}

}  // namespace tactus::executive
