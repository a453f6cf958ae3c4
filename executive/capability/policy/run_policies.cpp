// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/policy/run_policies.hpp"

#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

RunPolicies::RunPolicies(Executive& executive, PolicyVariables& variables)
    : executive_(executive), relief_(executive.program().relief()), part_(executive) {
  part_.show_in(variables);
  executive.add(part_);
}

std::string RunPolicies::jobs_text(const PolicyNote& note) const {
  return (note.jobs == 1 ? "job " : "jobs ") + executive_.plan().jobs[note.job].name +
         (note.jobs == 1 ? "" : " and " + std::to_string(note.jobs - 1) + " more");
}

std::string RunPolicies::effect_text(const PolicyNote& note) const {
  const EscalationStep& step = (*part_.watched()[note.watched].steps)[note.step];
  switch (step.action) {
    case StepAction::count:
      return "counted";
    case StepAction::skip:
    case StepAction::catch_up:
    case StepAction::reanchor:
      return "on_overrun is " + std::string(name_of(step.action)) + (note.jobs == 0 ? " already" : " now");
    case StepAction::shed:
      return note.jobs == 0 ? "nothing is left to be shed"
                            : jobs_text(note) + (note.jobs == 1 ? " is" : " are") + " left out (shed)";
    case StepAction::demote:
      return note.jobs == 0
                 ? "nothing is left to be demoted"
                 : jobs_text(note) + " keeps one of " +
                       std::to_string(executive_.plan().jobs[note.job].demoted_to) + " calls (demoted)";
    case StepAction::freeze:
      return "the rig freezes, and ends when it is resumed";
    case StepAction::safe_state:
      return "the outputs are driven safe, the rig freezes, and ends when it is resumed";
    case StepAction::terminate:
      break;
  }
  return "the rig ends";
}

std::string RunPolicies::text(const PolicyNote& note) const {
  const std::string frame = "frame " + std::to_string(note.frame) + ": ";
  if (note.watched == PolicyNote::kHardBudget) {
    const PlannedJob& job = executive_.plan().jobs[note.job];
    return frame + "job " + job.name + " took more than its hard budget: " +
           (job.on_hard_budget == StepAction::freeze ? "the rig " : "the outputs are driven safe, the rig ") +
           (job.on_hard_budget == StepAction::terminate ? "ends" : "freezes, and ends when it is resumed");
  }
  if (note.watched == PolicyNote::kNoStep && note.job == kNoPlanJob)
    return frame + std::to_string(note.frames) + " frames had slack: on_overrun is " +
           std::string(name_of(part_.own_on_overrun())) + " again";
  if (note.watched == PolicyNote::kNoStep)
    return frame + std::to_string(note.frames) + " frames had slack: " + jobs_text(note) +
           (note.jobs == 1 ? " comes back" : " come back");
  const PolicyPart::Watched& watched = part_.watched()[note.watched];
  const EscalationStep& step = (*watched.steps)[note.step];
  return frame + part_.text(watched, step.after) + " within " + rtsync::duration_text(step.within.count()) +
         ": " + effect_text(note);
}

bool RunPolicies::changes_something(const PolicyNote& note) const {
  if (note.watched >= PolicyNote::kHardBudget || note.jobs > 0) return true;
  const StepAction action = (*part_.watched()[note.watched].steps)[note.step].action;
  return action == StepAction::freeze || action == StepAction::safe_state || action == StepAction::terminate;
}

void RunPolicies::poll_hard_budgets(RunVoice& voice) {
  for (HardBudgetNote note; executive_.program().hard_budgets().pop(note);) {
    if (!named_.insert(note.job).second) continue;
    const PlannedJob& job = executive_.plan().jobs[note.job];
    // The calls of an asynchronous thread have numbers of their own.
    const bool own = executive_.plan().is_asynchronous(job.thread);
    const std::int64_t frame = own ? executive_.latest().frames : note.frame;
    voice.say("frame " + std::to_string(frame) + ": job " + job.name + " still ran " +
              rtsync::duration_text(note.ran.count()) + " after it began, its hard budget is " +
              rtsync::duration_text(job.hard_budget->count()));
  }
}

void RunPolicies::poll(RunVoice& voice) {
  poll_hard_budgets(voice);
  for (PolicyNote note; part_.pop(note);) {
    if (changes_something(note)) {
      voice.say(text(note));
      continue;
    }
    Repeated& repeated = repeated_[{note.watched, note.step}];
    if (repeated.times++ == 0) repeated.first = note;
    repeated.last_frame = note.frame;
  }
  const std::uint64_t lost = part_.notes_lost();
  if (lost != lost_)
    voice.say(std::to_string(lost - lost_) +
              " lines about policies were lost: more came than could be written");
  lost_ = lost;
}

void RunPolicies::poll_seldom(RunVoice& voice) {
  for (const auto& [step, repeated] : repeated_)
    voice.say(text(repeated.first) + (repeated.times == 1
                                          ? ""
                                          : " (" + std::to_string(repeated.times) + " times up to frame " +
                                                std::to_string(repeated.last_frame) + ")"));
  repeated_.clear();
  named_.clear();
  for (const HardBudget& budget : executive_.program().hard_budgets().all()) {
    std::int64_t& said = exceeded_[budget.job()];
    const std::int64_t now = budget.beyond();
    if (now > said)
      voice.say("job " + executive_.plan().jobs[budget.job()].name + " took more than its hard budget " +
                (now == 1 ? "once" : std::to_string(now) + " times") + " so far, " +
                std::to_string(budget.named()) + " of them were seen while it ran");
    said = now;
  }
}

Json RunPolicies::summary() const {
  const Plan& plan = executive_.plan();
  Json steps = Json::array();
  for (const PolicyPart::Watched& watched : part_.watched()) {
    const std::string of = part_.scope_text(watched.scope);
    for (std::size_t i = 0; i < watched.steps->size(); ++i) {
      const EscalationStep& step = (*watched.steps)[i];
      steps.push_back({{"of", of},
                       {"after", step.after},
                       {"within_ns", step.within.count()},
                       {"do", name_of(step.action)},
                       {"taken", watched.taken[i].load(std::memory_order_relaxed)}});
    }
  }
  Json jobs = Json::array();
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    if (!job.optional && job.demoted_to <= 1) continue;
    const JobRelief::State state = relief_.of(i);
    jobs.push_back({{"name", job.name},
                    {"optional", job.optional ? Json(*job.optional) : Json(nullptr)},
                    {"demote", job.demoted_to > 1 ? Json(job.demoted_to) : Json(nullptr)},
                    {"shed", relief_.times_shed(i)},
                    {"demoted", relief_.times_demoted(i)},
                    {"left_out", relief_.left_out(i)},
                    {"state", state == JobRelief::State::shed      ? "shed"
                              : state == JobRelief::State::demoted ? "demoted"
                                                                   : "runs"}});
  }
  Json hard = Json::array();
  for (const HardBudget& budget : executive_.program().hard_budgets().all())
    hard.push_back({{"job", plan.jobs[budget.job()].name},
                    {"hard_budget_ns", plan.jobs[budget.job()].hard_budget->count()},
                    {"do", name_of(budget.action())},
                    {"exceeded", budget.beyond()},
                    {"named", budget.named()}});
  return {
      {"on_overrun", name_of(part_.on_overrun())}, {"steps", steps}, {"jobs", jobs}, {"hard_budgets", hard}};
}

}  // namespace tactus::executive
