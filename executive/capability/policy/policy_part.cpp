// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/policy/policy_part.hpp"

#include <algorithm>

#include "rtsync/time/duration_text.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

bool PolicyPart::is_needed(const Plan& plan) {
  return !plan.escalation.empty() || !plan.main_escalation.empty() ||
         std::ranges::any_of(plan.threads,
                             [](const PlannedThread& thread) { return !thread.escalation.empty(); }) ||
         std::ranges::any_of(plan.jobs, [](const PlannedJob& job) {
           return !job.escalation.empty() || job.hard_budget || job.optional || job.demoted_to > 1;
         });
}

PolicyPart::PolicyPart(Executive& executive)
    : FramePart("policies"),
      executive_(executive),
      relief_(executive.program().relief()),
      budgets_(executive.program().budgets()),
      wait_(executive.plan().restore_after),
      own_(executive.on_overrun()),
      on_overrun_(own_) {
  using Of = ReliefScope::Of;
  const Plan& plan = executive.plan();
  watch({}, plan.escalation, nullptr);
  watch({Of::thread, 0}, plan.main_escalation, &budgets_.thread(0).account);
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    watch({Of::thread, i + 1}, plan.threads[i].escalation, &budgets_.thread(i + 1).account);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i)
    watch({Of::job, i}, plan.jobs[i].escalation, &budgets_.job(i).account);
  for (HardBudget& budget : executive.program().hard_budgets().all()) {
    const PlannedJob& job = plan.jobs[budget.job()];
    hard_.push_back({&budget, "job " + job.name + " took more than its hard budget of " +
                                  rtsync::duration_text(job.hard_budget->count()) +
                                  ", and its on_hard_budget says " + std::string(name_of(budget.action()))});
  }
}

void PolicyPart::watch(const ReliefScope& scope, const std::vector<EscalationStep>& steps,
                       const BudgetAccount* account) {
  if (steps.empty()) return;
  const Plan& plan = executive_.plan();
  const std::int64_t frame = rtsync::real_period(plan.frame, plan.ratio).floor().count();
  Watched& made = watched_.emplace_back();
  made.scope = scope;
  made.steps = &steps;
  made.account = account;
  for (const EscalationStep& step : steps) {
    made.windows.emplace_back(step, std::max<std::int64_t>((step.within.count() + frame - 1) / frame, 1));
    made.taken.emplace_back(0);
    reasons_.push_back(text(made, step.after) + " within " + rtsync::duration_text(step.within.count()) +
                       ", and its escalation says " + std::string(name_of(step.action)));
  }
}

std::string PolicyPart::text(const Watched& watched, std::int64_t times) const {
  const std::string what = watched.scope.of == ReliefScope::Of::rig
                               ? "frames overran"
                               : scope_text(watched.scope) + " took more than its budget";
  return what + (times == 1 ? " once" : " " + std::to_string(times) + " times");
}

std::string PolicyPart::scope_text(const ReliefScope& scope) const {
  const Plan& plan = executive_.plan();
  return scope.of == ReliefScope::Of::rig   ? "rig"
         : scope.of == ReliefScope::Of::job ? "job " + plan.jobs[scope.index].name
                                            : "thread " + plan.thread_name(scope.index);
}

void PolicyPart::show_in(PolicyVariables& variables) {
  variables_ = &variables;
  for (const PolicyVariables::Job& job : variables.jobs)
    shown_.push_back(executive_.program().find(job.name));
}

void PolicyPart::changed(RigChange& change) TACTUS_RT {
  if (change.what == RigChange::started) before_ = change.frame;
  // The frame that comes next is in the grace, or is not paced: the one before it says nothing of it.
  if (change.what == RigChange::went_back || change.what == RigChange::unpaced)
    executive_.program().hard_budgets().arm(false);
  if (change.what == RigChange::went_back) go_back_to(change.frame);
  if (change.what != RigChange::resumed) return;
  ends_ = reason_ != nullptr;
  pauses_ = false;
}

void PolicyPart::go_back_to(std::int64_t k) TACTUS_RT {
  before_ = k;
  with_room_ = 0;
  came_back_ = -1;
  wait_ = executive_.plan().restore_after;
  for (Watched& watched : watched_)
    for (StepWindow& window : watched.windows) window.clear();
  if (!ends_) {  // a freeze before it, at the end of which the rig would have ended
    reason_ = nullptr;
    pauses_ = false;
  }
  (void)switch_to(own_);
  show();
}

void PolicyPart::at_boundary(std::int64_t k, Slack&) TACTUS_RT {
  if (k == before_) return;  // no frame has run since the last time
  before_ = k;
  ++frames_;
  relief_.count(k - 1);
  const rtsync::FrameTiming& timing = executive_.status().frame().timing;
  take_hard_budgets(timing.paced && !timing.grace, k);
  const bool trouble = take_events(timing, k);
  if (relief_.relieved() || is_switched()) give_back(timing, trouble, k);
  relief_.prepare(k);
  show();
}

void PolicyPart::take_hard_budgets(bool counts, std::int64_t k) TACTUS_RT {
  if (hard_.empty()) return;
  executive_.program().hard_budgets().arm(counts);
  for (Hard& hard : hard_) {
    const std::int64_t now = hard.budget->beyond();
    const bool exceeded = now > hard.seen;
    hard.seen = std::max(hard.seen, now);
    const bool acted = hard.budget->take_acted();  // the watchdog: outputs may be safe for good by then
    if (!acted && !(exceeded && counts)) continue;
    if (hard.budget->action() == StepAction::count) continue;
    act(hard.budget->action(), hard.reason, k - 1);
    note({k - 1, PolicyNote::kHardBudget, 0, hard.budget->job()});
  }
}

/// Takes the events of a frame. True: something took too long in the frame before k.
bool PolicyPart::take_events(const rtsync::FrameTiming& timing, std::int64_t k) TACTUS_RT {
  const bool counts = timing.paced && !timing.grace;
  bool trouble = false;
  const std::uint32_t bookings = budgets_.bookings();
  const bool booked = bookings != bookings_;
  bookings_ = bookings;
  for (Watched& watched : watched_) {
    std::int64_t events = 0;
    if (watched.account == nullptr) {
      events = timing.overrun != rtsync::OverrunCause::none ? 1 : 0;
    } else if (booked) {
      const std::int64_t now = watched.account->count();
      events = now - watched.seen;
      watched.seen = now;
    }
    if (events == 0 || !counts) continue;
    trouble = true;
    count(watched, events, k - 1);
  }
  return trouble;
}

void PolicyPart::count(Watched& watched, std::int64_t events, std::int64_t k) TACTUS_RT {
  for (std::size_t step = 0; step < watched.windows.size(); ++step)
    if (watched.windows[step].add(k, events)) take(watched, step, k);
}

void PolicyPart::take(Watched& watched, std::size_t step, std::int64_t k) TACTUS_RT {
  const StepAction action = (*watched.steps)[step].action;
  PolicyNote note{k, 0, static_cast<std::uint32_t>(step)};
  std::size_t reason = step;
  while (&watched_[note.watched] != &watched) reason += watched_[note.watched++].windows.size();
  watched.taken[step].fetch_add(1, std::memory_order_relaxed);
  ++steps_taken_;
  const bool relieves = action == StepAction::shed || action == StepAction::demote;
  if (relieves &&
      (action == StepAction::shed ? relief_.shed(watched.scope) : relief_.demote(watched.scope, k + 1))) {
    note.job = relief_.changed().front();
    note.jobs = static_cast<std::uint32_t>(relief_.changed().size());
    wait_longer();
  }
  if (const auto on_overrun = on_overrun_of(action); on_overrun && switch_to(*on_overrun)) {
    note.jobs = 1;
    wait_longer();
  }
  act(action, reasons_[reason], k);
  this->note(note);
}

/// False: it is so already.
bool PolicyPart::switch_to(rtsync::OnOverrun on_overrun) TACTUS_RT {
  if (on_overrun == executive_.on_overrun()) return false;
  executive_.set_on_overrun(on_overrun);
  on_overrun_.store(on_overrun, std::memory_order_relaxed);
  switched_after_ = relief_.latest();
  return true;
}

/// Takes a step that ends the rig, at once or later, for what was seen in frame k.
void PolicyPart::act(StepAction action, const std::string& reason, std::int64_t k) TACTUS_RT {
  const bool freezes = action == StepAction::freeze || action == StepAction::safe_state;
  if ((freezes && !ends_) || action == StepAction::terminate) {
    reason_ = reason.c_str();
    reason_frame_ = k;
    ends_ = ends_ || action == StepAction::terminate;
  }
  if (action == StepAction::safe_state) executive_.drive_outputs_safe();
  if (action == StepAction::terminate) {
    (void)executive_.end_outputs_safe();
    if (pauses_) executive_.request_resume();  // a step of the same frame has asked for it
  }
  if (freezes && !ends_) {
    pauses_ = true;
    executive_.request_pause();
  }
}

/// Something is left out more: if it came soon after something was back, that was too early.
void PolicyPart::wait_longer() TACTUS_RT {
  const std::int64_t first = executive_.plan().restore_after;
  const bool soon = came_back_ >= 0 && frames_ - came_back_ <= wait_;
  if (came_back_ >= 0) wait_ = soon ? std::min(wait_ * 2, first * kLongestWaitFactor) : first;
  came_back_ = -1;
  with_room_ = 0;
}

void PolicyPart::give_back(const rtsync::FrameTiming& timing, bool trouble, std::int64_t k) TACTUS_RT {
  const bool overruns = switched_last();  // and no job went later
  const rtsync::Nanoseconds needed = overruns ? rtsync::Nanoseconds{0} : relief_.needed();
  const bool room = !trouble && (!timing.paced || timing.slack >= needed);
  with_room_ = room ? with_room_ + 1 : 0;
  if (with_room_ < wait_) return;
  if (overruns) {
    (void)switch_to(own_);
    note({k - 1, PolicyNote::kNoStep, 0, kNoPlanJob, 1, with_room_});
  } else {
    if (!relief_.give_back()) return;
    note({k - 1, PolicyNote::kNoStep, 0, relief_.changed().front(),
          static_cast<std::uint32_t>(relief_.changed().size()), with_room_});
  }
  with_room_ = 0;
  came_back_ = frames_;
}

void PolicyPart::note(const PolicyNote& note) TACTUS_RT {
  if (!notes_.push(note)) notes_lost_.fetch_add(1, std::memory_order_relaxed);
}

void PolicyPart::show() TACTUS_RT {
  if (variables_ == nullptr) return;
  PolicyVariables& shown = *variables_;
  shown.shed = shown.demoted = 0;
  shown.steps = steps_taken_;
  shown.left_out = 0;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const JobRelief::State state = relief_.of(shown_[i]);
    shown.jobs[i].state = static_cast<std::int32_t>(state);
    shown.shed += state == JobRelief::State::shed ? 1 : 0;
    shown.demoted += state == JobRelief::State::demoted ? 1 : 0;
    shown.left_out += relief_.left_out(shown_[i]);
  }
}

}  // namespace tactus::executive
