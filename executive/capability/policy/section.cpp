// SPDX-License-Identifier: Apache-2.0
// What happens when frames overrun or budgets are exceeded: escalations, and the jobs that may be left out.
#include <algorithm>
#include <string>
#include <vector>

#include "config/number.hpp"
#include "executive/capability/policy/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/plan/draft.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

bool has_step(const std::vector<EscalationStep>& steps, StepAction action) {
  return std::ranges::any_of(steps, [action](const auto& step) { return step.action == action; });
}

bool can(const PlannedJob& job, StepAction action) {
  return action == StepAction::shed ? job.optional.has_value() : job.demoted_to > 1;
}

/// Explains why a job cannot be left out; empty: it can.
std::string why_never(const Draft& draft, const PlannedJob& job) {
  if (!is_cyclic(job.job_class))
    return "is of class " + std::string(name_of(job.job_class)) +
           "; only jobs of the cyclic classes can be left out";
  if (job.dynamic) return "chooses its own times; only a job with a cycle can be left out";
  if (job.job_class == TACTUS_ON_EVENT)
    return "is called when an action asks for it; only a job with a cycle can be left out";
  if (draft.plan.is_asynchronous(job.thread))
    return "is on thread '" + draft.plan.thread_name(job.thread) +
           "', which is asynchronous; only jobs of main and of scheduled threads can be left out";
  return "";
}

void plan_optional(Draft& draft, const std::optional<Located<std::int64_t>>& order, PlannedJob& job) {
  if (!order) return;
  if (const std::string why = why_never(draft, job); !why.empty()) return draft.problems.add(*order, why);
  job.optional = order->value;
}

void plan_demotion(Draft& draft, const std::optional<Located<std::int64_t>>& demote, PlannedJob& job) {
  if (!demote) return;
  if (const std::string why = why_never(draft, job); !why.empty()) return draft.problems.add(*demote, why);
  if (job.cycle < draft.plan.frame)
    return draft.problems.add(*demote, "is called every " + config::print_period(job.cycle) +
                                           "; only a job that is called once a frame or less often can "
                                           "be demoted");
  job.demoted_to = demote->value;
}

/// The steps of one escalation.
class Steps {
 public:
  Steps(Draft& draft, const EscalationSection& section) : draft_(draft), section_(section) {}

  void need_budget(const Budget& budget, const std::string& of) {
    if (section_.empty()) return;
    const Origin& first = section_.front().origin;
    if (!budget)
      draft_.problems.add(first, "counts what exceeds a budget; give the " + of + " a 'budget'");
    else if (!draft_.plan.job_times)
      draft_.problems.add(
          first, "counts times of jobs, which are not measured with job_times: no; set job_times: yes");
  }
  /// One event a frame at most.
  void fit_in_frames() {
    const Period frame = rtsync::real_period(draft_.plan.frame, draft_.plan.ratio);
    for (const EscalationSettings& step : section_) {
      const std::int64_t frames = step.within.count() / std::max<std::int64_t>(frame.floor().count(), 1) + 1;
      if (step.after > frames)
        draft_.problems.add(step.origin, std::to_string(step.after) + " frames do not fit in " +
                                             config::print_duration(step.within) + " with frames of " +
                                             config::print_period(frame) +
                                             ", so the step would never be taken; lengthen 'within'");
    }
  }
  /// `whose(job)`: the escalation may leave it out. `none`: "no job of the rig has".
  template <class Whose>
  void need_jobs(Whose whose, const std::string& none) {
    for (const EscalationSettings& step : section_) {
      if (step.action != StepAction::shed && step.action != StepAction::demote) continue;
      if (std::ranges::any_of(draft_.plan.jobs,
                              [&](const PlannedJob& job) { return whose(job) && can(job, step.action); }))
        continue;
      const bool shed = step.action == StepAction::shed;
      draft_.problems.add(step.origin, std::string(name_of(step.action)) + ": " + none + " '" +
                                           (shed ? "optional" : "demote") +
                                           "', so the step could do nothing; set it (" +
                                           (shed ? "optional: 1" : "demote: 2") + "), or remove the step");
    }
  }
  /// The grid of slots is the rig's.
  void need_rig(const std::string& of) {
    for (const EscalationSettings& step : section_)
      if (on_overrun_of(step.action))
        draft_.problems.add(step.origin,
                            std::string(name_of(step.action)) + ": a " + of +
                                " uses the slots of the whole rig; only an escalation of realtime can "
                                "change them");
  }
  void need_another(rtsync::OnOverrun own) {
    for (const EscalationSettings& step : section_)
      if (on_overrun_of(step.action) == own)
        draft_.problems.add(step.origin,
                            std::string(name_of(step.action)) +
                                ": has no effect: realtime.on_overrun has this value already; choose "
                                "another, or remove the step");
  }
  std::vector<EscalationStep> planned() const { return {section_.begin(), section_.end()}; }

 private:
  Draft& draft_;
  const EscalationSection& section_;
};

std::vector<EscalationStep> of_thread(Draft& draft, const EscalationSection& section, const Budget& budget,
                                      std::size_t thread) {
  Steps steps(draft, section);
  steps.need_budget(budget, "thread");
  steps.need_rig("thread");
  if (!draft.plan.is_asynchronous(thread)) steps.fit_in_frames();
  steps.need_jobs([thread](const PlannedJob& job) { return job.thread == thread; },
                  "no job of thread " + draft.plan.thread_name(thread) + " has");
  return steps.planned();
}

void plan_hard_budget(Draft& draft, const JobSettings& settings, PlannedJob& job) {
  if (!settings.hard_budget) {
    if (settings.on_hard_budget)
      draft.problems.add(*settings.on_hard_budget,
                         "has no effect: the job has no hard_budget; set one, as hard_budget: 1 ms");
    return;
  }
  if (!is_cyclic(job.job_class) && !is_around_frame(job.job_class))
    return draft.problems.add(*settings.hard_budget, "is of class " + std::string(name_of(job.job_class)) +
                                                         "; only jobs that frames call have one");
  if (settings.budget && settings.budget->value > settings.hard_budget->value)
    return draft.problems.add(*settings.hard_budget, config::print_duration(settings.hard_budget->value) +
                                                         " is less than the budget, " +
                                                         config::print_duration(settings.budget->value) +
                                                         "; raise it");
  const bool isolated = job.isolated != nullptr;
  const Nanoseconds longest =
      isolated ? Plan::isolated_time(draft.plan.stuck_after) : draft.plan.stuck_time(job.thread);
  if (settings.hard_budget->value >= longest)
    return draft.problems.add(
        *settings.hard_budget,
        "has no effect: after " + config::print_duration(longest) +
            (isolated ? " the process of its model is ended" : " the thread is stuck, and the rig ends") +
            "; lower it, or raise threads.stuck_after");
  job.hard_budget = settings.hard_budget->value;
  if (settings.on_hard_budget) job.on_hard_budget = settings.on_hard_budget->value;
}

/// Reports a key whose job no escalation ever leaves out.
void check_use(Draft& draft, const std::optional<Located<std::int64_t>>& key, const PlannedJob& job,
               StepAction action) {
  const Plan& plan = draft.plan;
  if (!key || !can(job, action) || has_step(plan.escalation, action) || has_step(job.escalation, action) ||
      has_step(job.thread == 0 ? plan.main_escalation : plan.threads[job.thread - 1].escalation, action))
    return;
  const std::string word(name_of(action));
  draft.problems.add(*key, "has no effect: no escalation says " + word +
                               "; add one to realtime, as escalation: { 3 in 1 s: " + word + " }");
}

void declare_policies(Draft& draft) {
  const RigSettings& settings = draft.settings;
  std::vector<std::string> jobs;
  bool any = !settings.realtime.escalation.empty() || !settings.threads.main.escalation.empty();
  for (const WorkerSettings& worker : settings.threads.workers) any = any || !worker.escalation.empty();
  for (const ModelSettings& model : settings.models)
    for (const JobSettings& job : model.jobs) {
      any = any || !job.escalation.empty() || job.hard_budget;
      if (job.optional || job.demote) jobs.push_back(model.name + "." + job.name);
    }
  for (const RecordingSettings& recording : settings.of<RecordSettings>().recordings)
    if (recording.optional) jobs.push_back("record." + recording.name);
  if (any || !jobs.empty()) draft.rig.variables.add_policies(jobs);
}

void plan_policies(Draft& draft) {
  const RigSettings& settings = draft.settings;
  Plan& plan = draft.plan;
  plan.restore_after = settings.realtime.restore_after;
  const auto each_job = [&](auto does) {
    for (const ModelSettings& model : settings.models)
      for (const JobSettings& job : model.jobs)
        if (PlannedJob* const found = plan.find_job(model.name + "." + job.name)) does(job, *found);
  };
  const auto each_recording = [&](auto does) {
    for (const RecordingSettings& recording : settings.of<RecordSettings>().recordings)
      if (PlannedJob* const found = plan.find_job("record." + recording.name)) does(recording, *found);
  };
  each_job([&](const JobSettings& job, PlannedJob& made) {
    plan_optional(draft, job.optional, made);
    plan_demotion(draft, job.demote, made);
    plan_hard_budget(draft, job, made);
  });
  each_recording([&](const RecordingSettings& recording, PlannedJob& made) {
    plan_optional(draft, recording.optional, made);
  });

  Steps rig(draft, settings.realtime.escalation);
  rig.fit_in_frames();
  rig.need_another(settings.realtime.overrun.on_overrun);
  rig.need_jobs([](const PlannedJob&) { return true; }, "no job of the rig has");
  plan.escalation = rig.planned();
  plan.main_escalation = of_thread(draft, settings.threads.main.escalation, settings.threads.main.budget, 0);
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    plan.threads[i].escalation =
        of_thread(draft, settings.threads.workers[i].escalation, settings.threads.workers[i].budget, i + 1);
  each_job([&](const JobSettings& job, PlannedJob& made) {
    Steps steps(draft, job.escalation);
    steps.need_budget(job.budget, "job");
    steps.need_rig("job");
    steps.need_jobs([&made](const PlannedJob& other) { return &other == &made; }, "the job has no");
    made.escalation = steps.planned();
  });
  each_job([&](const JobSettings& job, const PlannedJob& made) {
    check_use(draft, job.optional, made, StepAction::shed);
    check_use(draft, job.demote, made, StepAction::demote);
  });
  each_recording([&](const RecordingSettings& recording, const PlannedJob& made) {
    check_use(draft, recording.optional, made, StepAction::shed);
  });
}

}  // namespace

const CapabilitySection kPolicySection{nullptr, &declare_policies, &plan_policies};

}  // namespace tactus::executive
