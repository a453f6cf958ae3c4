// SPDX-License-Identifier: Apache-2.0
// The last step: the rules between threads, and a time base for all.
#include <span>

#include "executive/model/job_class.hpp"
#include "executive/plan/schedule.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

/// Complains of the first job or loop that has no common time base with the frame and those before it.
void check_time_base(Draft& draft) {
  const Plan& plan = draft.plan;
  std::vector<ScheduledJob> jobs;
  std::vector<const config::Origin*> origins;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    if (!is_cyclic(job.job_class)) continue;
    jobs.push_back({.cycle = job.cycle, .first = job.first, .stop = job.stop, .dynamic = job.dynamic});
    origins.push_back(&draft.origins.jobs[i]);
  }
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    const Period& cycle = plan.loops[i].cycle;
    jobs.push_back({.cycle = cycle, .first = cycle, .stop = {}, .integration = true});
    origins.push_back(&draft.origins.loops[i]);
  }
  const auto problem_of = [&](std::size_t first_jobs) -> std::string {
    try {
      (void)Schedule(std::span(jobs).first(first_jobs), plan.frame);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  if (problem_of(jobs.size()).empty()) return;
  std::size_t good = 0;  // largest number of jobs that go together
  for (std::size_t bad = jobs.size(); bad - good > 1;) {
    const std::size_t middle = good + (bad - good) / 2;
    (problem_of(middle).empty() ? good : bad) = middle;
  }
  draft.problems.add(*origins[good], problem_of(good + 1));
}

}  // namespace

void resolve_dependencies(Draft& draft) {
  draft.origins.complete = draft.rig.models.size() == draft.settings.models.size();
  if (draft.threads_known)
    resolve_thread_dependencies(draft.plan, draft.wanted, draft.origins, draft.problems);
  if (draft.problems.empty()) check_time_base(draft);
}

}  // namespace tactus::executive
