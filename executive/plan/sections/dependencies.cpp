// SPDX-License-Identifier: Apache-2.0
// The last step: the rules between threads, and a time base for all.
#include <span>
#include <string>
#include <vector>

#include "executive/model/job_class.hpp"
#include "executive/plan/schedule.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

/// Jobs that one schedule calls, each with its place in the rig file.
struct TimedJobs {
  std::vector<ScheduledJob> jobs{};
  std::vector<const config::Origin*> origins{};
};

/// Complains of the first job or loop that has no common time base with the frame and those before it.
void check_time_base(Draft& draft, const TimedJobs& timed, const Period& frame, const std::string& remark) {
  const auto problem_of = [&](std::size_t first_jobs) -> std::string {
    try {
      (void)Schedule(std::span(timed.jobs).first(first_jobs), frame);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  if (problem_of(timed.jobs.size()).empty()) return;
  std::size_t good = 0;  // largest number of jobs that go together
  for (std::size_t bad = timed.jobs.size(); bad - good > 1;) {
    const std::size_t middle = good + (bad - good) / 2;
    (problem_of(middle).empty() ? good : bad) = middle;
  }
  draft.problems.add(*timed.origins[good], problem_of(good + 1) + remark);
}

/// Checks the jobs of the frames, and those of the freeze, which have a frame of their own.
void check_time_bases(Draft& draft) {
  const Plan& plan = draft.plan;
  TimedJobs timed;
  TimedJobs frozen;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    const bool freeze = is_freeze_cyclic(job.job_class);
    if (!freeze && !is_cyclic(job.job_class)) continue;
    TimedJobs& of = freeze ? frozen : timed;
    of.jobs.push_back({.cycle = job.cycle, .first = job.first, .stop = job.stop, .dynamic = job.dynamic});
    of.origins.push_back(&draft.origins.jobs[i]);
  }
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    const Period& cycle = plan.loops[i].cycle;
    timed.jobs.push_back({.cycle = cycle, .first = cycle, .stop = {}, .integration = true});
    timed.origins.push_back(&draft.origins.loops[i]);
  }
  check_time_base(draft, timed, plan.frame, "");
  check_time_base(draft, frozen, plan.freeze_frame, "; the frame of this job is realtime.freeze_frame");
}

}  // namespace

void resolve_dependencies(Draft& draft) {
  draft.origins.complete = draft.rig.models.size() == draft.settings.models.size();
  if (draft.threads_known)
    resolve_thread_dependencies(draft.plan, draft.wanted, draft.origins, draft.problems);
  if (draft.problems.empty()) check_time_bases(draft);
}

}  // namespace tactus::executive
