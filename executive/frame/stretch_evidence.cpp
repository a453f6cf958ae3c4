// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/stretch_evidence.hpp"

#include <algorithm>
#include <utility>

#include "rtsync/evidence/continuation.hpp"
#include "rtsync/time/clock_cost.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

using rtsync::EvidenceTime;
using rtsync::LatePart;

namespace {

/// A signal that had stopped the rig let it go on.
bool went_on_in(const Stretch& stretch) TACTUS_RT {
  constexpr Nanoseconds kAfterwards{100'000};  // where another thread has noted it
  const EvidenceTime last = rtsync::ContinuationWatch::last();
  return last >= stretch.from && last <= stretch.to + kAfterwards;
}

}  // namespace

void StretchEvidence::watch(std::shared_ptr<rtsync::KernelEvents> events,
                            std::optional<Nanoseconds> throttle_gap, bool preemptible) {
  events_ = std::move(events);
  throttle_gap_ = throttle_gap;
  preemptible_ = preemptible;
  clock_read_ = rtsync::cost_of_reading(rtsync::monotonic_now);
}

rtsync::HeapTimes StretchEvidence::with_measuring(const rtsync::HeapTimes& heap,
                                                  const Stretch& stretch) const TACTUS_RT {
  const Nanoseconds took = heap.took + clock_read_ * static_cast<std::int64_t>(heap.calls);
  return {heap.calls, std::min(took, stretch.time())};
}

void StretchEvidence::see(std::size_t thread, const Stretch& stretch,
                          rtsync::Evidence& evidence) const TACTUS_RT {
  if (events_ != nullptr && thread < events_->threads())
    evidence = events_->look(thread, stretch.from, stretch.to, rtsync::is_wake(stretch.part));
  evidence.throttle_gap = throttle_gap_;
  evidence.preemptible = preemptible_;
  evidence.went_on = went_on_in(stretch);
  if (cpus_ == nullptr || !evidence.cpu) return;
  evidence.speed = cpus_->speed(*evidence.cpu);
  evidence.idle_exit = cpus_->idle_exit(*evidence.cpu);
}

void StretchEvidence::see_counts(std::size_t thread, const Stretch& stretch,
                                 rtsync::Evidence& evidence) const {
  if (ready_ != nullptr && rtsync::is_wake(stretch.part)) evidence.ready_most = ready_->most(thread);
  if (quotas_ != nullptr && !evidence.realtime) evidence.quota = quotas_->stops_since(thread, stretch.from);
  if (freezers_ != nullptr && evidence.switches && evidence.switches->blocked > Nanoseconds{0})
    evidence.perhaps_frozen = freezers_->may_have_held(thread, stretch.from);
}

/// Returns the root cause of a wait of main for a worker that had not woken yet.
Finding::Root StretchEvidence::root_of_lane(const Stretch& stretch) const {
  Finding::Root root;
  const Lane::Wait& wait = program_.lane(0).longest_wait();
  if (!stretch.is_wait(program_.job_clock().to_time(wait.ticks))) return root;
  root.thread = wait.thread;
  if (root.thread == 0) return root;
  Stretch wake = stretch;
  wake.part = LatePart::wake;
  for (std::size_t lane = 1; lane < program_.lanes(); ++lane) {
    if (program_.thread_of_lane(lane) != root.thread) continue;
    root.facts.part = LatePart::wake;
    root.facts.took = stretch.time();
    see(lane, wake, root.evidence);
    see_counts(lane, wake, root.evidence);
    root.cause = rtsync::judge(root.facts, root.evidence);
  }
  return root;
}

std::optional<StretchEvidence::CallTimes> StretchEvidence::times_of_call(
    const Stretch& stretch) const TACTUS_RT {
  if (stretch.part != LatePart::job || stretch.job == Finding::kNoJob) return std::nullopt;
  const CallPage::Use* const last = isolated_.last(stretch.job);
  if (last == nullptr || last->taken > last->answered || last->answered < stretch.from ||
      last->taken > stretch.to)
    return std::nullopt;
  return CallTimes{std::max(last->taken, stretch.from), std::min(last->answered, stretch.to)};
}

/// Returns the root cause of a job's wait for its model, which has a process of its own: what that did, or
/// what kept it from the call.
Finding::Root StretchEvidence::root_of_process(const Stretch& stretch) const {
  Finding::Root root;
  const std::size_t process = program_.plan().jobs[stretch.job].isolated->process();
  Stretch part = stretch;
  if (const auto times = times_of_call(stretch)) {
    const bool woken_late = (times->taken - stretch.from) * 2 > stretch.excess();
    part.part = woken_late ? LatePart::call : LatePart::job;
    part.from = woken_late ? stretch.from : times->taken;
    part.to = woken_late ? times->taken : times->answered;
    if (woken_late) part.usual = Nanoseconds{0};
  }
  root.facts = {part.part, part.time(), part.usual};
  root.facts.always = part.always;
  const std::size_t thread = program_.lanes() + program_.async_workers().size() + process;
  see(thread, part, root.evidence);
  see_counts(thread, part, root.evidence);
  if (part.part == LatePart::job) isolated_.see(stretch.job, root.evidence);
  if (root.evidence.heap) root.evidence.heap = with_measuring(*root.evidence.heap, part);
  root.cause = rtsync::judge(root.facts, root.evidence);
  return root;
}

rtsync::CauseWeights StretchEvidence::weigh(std::size_t thread, const Stretch& stretch,
                                            const rtsync::FrameFacts& facts,
                                            rtsync::Evidence& evidence) const {
  using rtsync::Cause;
  const rtsync::CauseWeights verdict = rtsync::weigh(facts, evidence);
  if (rtsync::is_wake(facts.part) || (verdict.cause != Cause::computed && verdict.cause != Cause::unknown &&
                                      verdict.cause != Cause::housekeeping))
    return verdict;
  uses_.see_counted(thread, stretch.from, evidence);
  return rtsync::weigh(facts, evidence);
}

Finding::Root StretchEvidence::root_of(const Stretch& stretch) const {
  if (stretch.job == Finding::kNoJob) return root_of_lane(stretch);
  if (program_.plan().jobs[stretch.job].isolated != nullptr) return root_of_process(stretch);
  Finding::Root root;
  const std::size_t thread = program_.plan().jobs[stretch.job].thread;
  const auto workers = program_.async_workers();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i]->thread != thread) continue;
    root.facts = {LatePart::job, stretch.time(), Nanoseconds{0}};
    see(program_.lanes() + i, stretch, root.evidence);
    see_counts(program_.lanes() + i, stretch, root.evidence);
    uses_.see_async(i, stretch.from, stretch.to, root.evidence);
    if (root.evidence.heap) root.evidence.heap = with_measuring(*root.evidence.heap, stretch);
    root.cause = weigh(program_.lanes() + i, stretch, root.facts, root.evidence).cause;
  }
  return root;
}

}  // namespace tactus::executive
