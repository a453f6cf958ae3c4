// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "executive/model/job_class.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

/// a + b; nothing when that is beyond what a Period holds.
std::optional<Period> sum(const Period& a, const Period& b) {
  using rtsync::Wide;
  const Wide num = static_cast<Wide>(a.num()) * b.den() + static_cast<Wide>(b.num()) * a.den();
  const Wide den = static_cast<Wide>(a.den()) * b.den();
  if (num > INT64_MAX || den > INT64_MAX) return std::nullopt;
  return Period{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

/// Cyclic jobs run where they are put. All others run on main, but the first and last jobs of a period are of
/// an asynchronous thread if their model is.
std::size_t thread_of(Draft& draft, const DeclaredJob& declared, const JobSettings& changes,
                      std::size_t home) {
  if (is_cyclic(declared.job_class)) return changes.thread ? draft.find_thread(*changes.thread) : home;
  const std::size_t own = is_around_frame(declared.job_class) && draft.plan.is_asynchronous(home) ? home : 0;
  const std::string own_name = draft.plan.thread_name(own);
  if (changes.thread && (own == 0 || changes.thread->value != own_name))
    draft.problems.add(
        *changes.thread,
        "is a job of class " + std::string(name_of(declared.job_class)) + ", which runs on " +
            (is_integration(declared.job_class) ? "the thread of its loop" : "thread " + own_name) +
            "; 'thread' can be set only for jobs of the cyclic classes");
  return own;
}

bool has_times(const JobSettings& changes) {
  return changes.stop || !changes.start.is_zero() || !changes.offset.is_zero();
}

/// Reports times of a job that runs whenever its thread is free.
void check_times_without_period(Draft& draft, const JobSettings& changes, const PlannedJob& job) {
  if (!has_times(changes) || !draft.plan.is_asynchronous(job.thread)) return;
  const PlannedThread& thread = draft.plan.threads[job.thread - 1];
  if (thread.kind == ThreadKind::asynchronous && thread.period.is_zero())
    draft.problems.add(changes.origin,
                       "is on thread '" + thread.name +
                           "', which has no period and calls each of its jobs whenever it is free, so start, "
                           "offset and stop have no effect; remove them, or give the thread a period");
}

void time_cyclic_job(Draft& draft, const DeclaredJob& declared, const JobSettings& changes, PlannedJob& job) {
  config::Problems& problems = draft.problems;
  check_times_without_period(draft, changes, job);
  if (!declared.dynamic) {
    job.cycle = changes.cycle.value_or(declared.cycle.is_zero() ? draft.plan.frame : declared.cycle);
  } else if (changes.cycle) {
    problems.add(
        changes.origin,
        "chooses its own times, so it has no cycle; start, offset, stop, phase and enabled can be set");
  }
  const auto first = sum(changes.start, changes.offset);
  if (!first) problems.add(changes.origin, "start + offset is longer than can be represented (292 years)");
  job.first = first.value_or(Period{});
  job.stop = changes.stop;
  if (job.stop && *job.stop < job.first)
    problems.add(changes.origin,
                 "stop lies before the first call (start + offset), so the job would never be called");
}

void time_job(Draft& draft, const DeclaredJob& declared, const JobSettings& changes, PlannedJob& job) {
  if (is_cyclic(declared.job_class) && declared.job_class != TACTUS_ON_EVENT)
    return time_cyclic_job(draft, declared, changes, job);
  const auto refuse = [&](const char* why) {
    draft.problems.add(changes.origin, "is a job of class " + std::string(name_of(declared.job_class)) +
                                           ", which has " + why);
  };
  if (declared.job_class == TACTUS_ON_EVENT) {
    const bool own_period = draft.plan.is_asynchronous(job.thread);
    const Period period = own_period ? draft.plan.threads[job.thread - 1].period : Period{};
    job.cycle = period.is_zero() ? draft.plan.frame : period;
    if (changes.cycle || has_times(changes))
      refuse(
          "no times: an action 'on_event' asks for it; only thread, phase, enabled, budget and depends_on "
          "can be "
          "set");
  } else if (declared.job_class == TACTUS_FREEZE_SCHEDULED) {
    job.cycle = changes.cycle.value_or(declared.cycle.is_zero() ? draft.plan.freeze_frame : declared.cycle);
    if (has_times(changes)) refuse("no offset, start or stop; only cycle, phase and enabled can be set");
  } else if (changes.cycle || has_times(changes)) {
    refuse(is_integration(declared.job_class)
               ? "the times of its loop; only phase and enabled can be set"
               : "no cycle, offset, start or stop; only phase and enabled can be set");
  }
}

/// The process of an isolated model serves one call at a time.
void check_isolated(Draft& draft, const ModelSettings& settings, const DeclaredJob& declared,
                    std::size_t thread, std::size_t home) {
  const std::string job = "job '" + declared.name + "'";
  if (is_cyclic(declared.job_class) && thread != home)
    draft.problems.add(*settings.isolated,
                       "yes: " + job +
                           " has another thread than its model, and one thread alone can call a "
                           "model in a process of its own; remove the job's 'thread'");
  if (is_freeze(declared.job_class) && draft.plan.is_asynchronous(home))
    draft.problems.add(*settings.isolated,
                       "yes: " + job + " (" + std::string(name_of(declared.job_class)) +
                           ") runs on main while thread '" + draft.plan.threads[home - 1].name +
                           "' may be in another of its jobs, and one thread alone can call a model in a "
                           "process of its own; put the model on main or on a scheduled thread");
}

}  // namespace

void plan_jobs(Draft& draft, const ModelSettings& settings, const ModelInstance& model,
               IsolatedModel* isolated) {
  for (const JobSettings& job : settings.jobs) {
    if (std::ranges::none_of(model.jobs(), [&](const DeclaredJob& d) { return d.name == job.name; }))
      draft.problems.add(job.origin, "model '" + settings.model.value + "' has no such job" +
                                         did_you_mean(job.name, model.jobs(), &DeclaredJob::name));
  }
  const std::size_t home = draft.find_thread(settings.thread);
  draft.homes.emplace(&model, home);
  for (std::size_t i = 0; i < model.jobs().size(); ++i) {
    const DeclaredJob& declared = model.jobs()[i];
    const auto found = std::ranges::find(settings.jobs, declared.name, &JobSettings::name);
    const JobSettings changes = found == settings.jobs.end() ? JobSettings{} : *found;
    PlannedJob job;
    job.name = settings.name + "." + declared.name;
    job.model = &model;
    job.run = declared.run;
    job.self = isolated == nullptr ? model.self() : isolated->job(i);
    job.job_class = declared.job_class;
    job.phase = static_cast<unsigned>(changes.phase.value_or(static_cast<int>(declared.phase)));
    job.enabled = changes.enabled;
    job.dynamic = declared.dynamic;
    job.thread = thread_of(draft, declared, changes, home);
    job.isolated = isolated == nullptr ? nullptr : &isolated->did(i);
    if (isolated != nullptr) check_isolated(draft, settings, declared, job.thread, home);
    time_job(draft, declared, changes, job);
    for (const Located<std::string>& on : changes.depends_on)
      draft.wanted.push_back({draft.plan.jobs.size(), on});
    draft.plan.jobs.push_back(std::move(job));
    draft.origins.jobs.push_back(found == settings.jobs.end() ? settings.origin : changes.origin);
  }
}

}  // namespace tactus::executive
