// SPDX-License-Identifier: Apache-2.0
// Budgets of jobs and threads, and whether they fit a frame.
#include <optional>
#include <string>

#include "config/number.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/plan/budget_room.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

void take(Draft& draft, const Budget& budget, const std::optional<BudgetRoom>& room,
          std::optional<rtsync::Nanoseconds>& planned) {
  if (!budget) return;
  planned = budget->value;
  if (draft.settings.realtime.enabled.value && room && room->time < Period(budget->value))
    draft.problems.add(*budget, config::print_duration(budget->value) + " does not fit: " + room->why +
                                    "; lower the budget, or give it more time");
}

void take_of_job(Draft& draft, const Budget& budget, PlannedJob& job) {
  if (!budget) return;
  if (is_integration(job.job_class)) {
    draft.problems.add(*budget,
                       "is of class " + std::string(name_of(job.job_class)) +
                           ", whose loop is measured as a whole; set the loop's budget in 'integrate'");
  } else if (!is_cyclic(job.job_class) && !is_around_frame(job.job_class)) {
    draft.problems.add(*budget, "is of class " + std::string(name_of(job.job_class)) +
                                    ", which no frame calls; only jobs of frames have a budget");
  } else {
    take(draft, budget, room_of_job(draft.plan, job), job.budget);
  }
}

}  // namespace

void plan_budgets(Draft& draft) {
  const RigSettings& settings = draft.settings;
  Plan& plan = draft.plan;
  for (const ModelSettings& model : settings.models)
    for (const JobSettings& job : model.jobs)
      if (PlannedJob* const planned = plan.find_job(model.name + "." + job.name))
        take_of_job(draft, job.budget, *planned);
  for (const RecordingSettings& recording : settings.of<RecordSettings>().recordings)
    if (PlannedJob* const planned = plan.find_job("record." + recording.name))
      take_of_job(draft, recording.budget, *planned);
  for (std::size_t i = 0; i < plan.loops.size(); ++i)
    take(draft, settings.integrate[i].budget, room_of_call(plan, plan.loops[i].thread, plan.loops[i].cycle),
         plan.loops[i].budget);
  take(draft, settings.threads.main.budget, room_of_thread(plan, 0), plan.main_budget);
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    take(draft, settings.threads.workers[i].budget, room_of_thread(plan, i + 1), plan.threads[i].budget);
}

}  // namespace tactus::executive
