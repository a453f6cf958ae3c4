// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_evidence.hpp"

#include <algorithm>
#include <utility>

#include "executive/frame/faults_of_copy.hpp"
#include "executive/frame/frame_shares.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

using rtsync::FrameTiming;
using rtsync::LatePart;
using rtsync::OverrunCause;
using rtsync::RigTime;
using rtsync::TimePoint;

namespace {

constexpr int kMostKept = 32;  // frames whose records are kept

/// It is the first one, or one after a Pause: what the thread did before it is not known.
bool began_anew(const FrameTiming& timing) TACTUS_RT {
  return timing.housekeeping == Nanoseconds{0} && !timing.back_to_back;
}

}  // namespace

void FrameEvidence::watch(std::shared_ptr<rtsync::KernelEvents> events,
                          std::optional<Nanoseconds> throttle_gap, bool preemptible) {
  constexpr Nanoseconds kKept{50'000'000};
  if (events != nullptr) uses_.watch(*events, isolated_);
  seen_.watch(events, throttle_gap, preemptible);
  promises_.watch(events);
  events_ = std::move(events);
  release_every_ = std::clamp<std::int64_t>(kKept / frame_, 1, kMostKept) * frame_;
  until_release_ = 1;
}

Finding FrameEvidence::finding_of(const Stretch& whole, const FrameTiming& timing) TACTUS_RT {
  Stretch stretch = whole;
  if (const auto times = seen_.times_of_call(whole);
      times && (whole.to - times->answered) * 2 > whole.excess()) {
    // The model had done its part: it was the wake behind it.
    stretch.part = LatePart::answer;
    stretch.from = times->answered;
    stretch.usual = Nanoseconds{0};
    stretch.for_others = false;
  }
  Finding finding;
  finding.job = stretch.job;
  finding.group = stretch.group;
  finding.frame = timing.frame;
  finding.facts.part = stretch.part;
  finding.facts.took = stretch.time();
  finding.facts.usual = stretch.usual;
  finding.facts.for_others = stretch.for_others;
  finding.facts.always = stretch.always;
  if (stretch.part == LatePart::job && stretch.group.jobs == 0)
    finding.facts.usual_p99 = stretch.job == Finding::kNoJob
                                  ? statistics_.work.quantile(0.99)
                                  : program_.job_times()[stretch.job].quantile(0.99);
  seen_.see(stretch.lane, stretch, finding.evidence);
  if (stretch.part == LatePart::job && rtsync::HeapWatch::available())
    finding.evidence.heap = seen_.with_measuring(stretch.heap, stretch);
  if (const rtsync::MapLog* const maps = program_.lane(stretch.lane).maps();
      stretch.part == LatePart::job && maps != nullptr)
    finding.evidence.maps = maps_between(*maps, stretch.from, stretch.to);
  if (stretch.part == LatePart::wake) {
    finding.facts.spins = finding.evidence.switches && finding.evidence.switches->blocks == 0;
    if (clock_status_ != nullptr) {
      finding.facts.edge_late = clock_status_->edge_late;
      finding.facts.edge_missed = clock_status_->edge_missed;
    }
  }
  if (copy_ != nullptr && (copied_ || copy_->under_way()) && events_ != nullptr)
    share_faults_with_copy(faults_between(events_->faults(stretch.lane), stretch.from, stretch.to, *copy_),
                           finding.evidence);
  see_delays(stretch, timing, finding.evidence);
  seen_.see_counts(stretch.lane, stretch, finding.evidence);
  const rtsync::CauseWeights verdict = seen_.weigh(stretch.lane, stretch, finding.facts, finding.evidence);
  finding.cause = verdict.cause;
  finding.share = verdict.share;
  finding.besides = verdict.beside;
  if (stretch.part == LatePart::between_jobs || stretch.part == LatePart::housekeeping)
    name_part(stretch, finding);
  else if (stretch.part == LatePart::job)
    name_inner_job(finding);
  name_copy(finding);
  if (finding.cause == rtsync::Cause::waited) finding.root = seen_.root_of(stretch);
  mark_injected(finding);
  return finding;
}

/// Marks what a fault made longer or late, as it was asked to.
void FrameEvidence::mark_injected(Finding& finding) const TACTUS_RT {
  using rtsync::Cause;
  const bool edge =
      finding.facts.part == LatePart::wake && clock_status_ != nullptr && clock_status_->edge_injected;
  if (!edge && !program_.was_injected(finding.job, finding.frame) &&
      !program_.was_injected(finding.inner_job, finding.frame))
    return;
  const auto mark = [edge](Cause& cause) TACTUS_RT {
    if (edge ? cause == Cause::clock : cause == Cause::computed || cause == Cause::unknown)
      cause = Cause::injected;
  };
  mark(finding.cause);
  if (!edge) mark(finding.root.cause);
  for (rtsync::CauseTime& beside : finding.besides) mark(beside.cause);
}

/// Fills in how long the thread of the frames waited for its CPU, where no record of that CPU says it.
void FrameEvidence::see_delays(const Stretch& stretch, const FrameTiming& timing,
                               rtsync::Evidence& evidence) const TACTUS_RT {
  if (delays_ == nullptr || stretch.lane != 0 || evidence.others || rtsync::is_after_call(stretch.part) ||
      began_anew(timing))
    return;
  if (!evidence.switches) evidence.realtime = is_realtime_;
  const Nanoseconds awake = timing.housekeeping + std::max(timing.late, Nanoseconds{0}) + timing.work;
  const Nanoseconds since = clock_.now() - (timing.slot + timing.late + timing.work);
  evidence.queued = delays_->least_in(awake - std::min(awake, stretch.time()) + since);
}

/// Names the job that took most of an integration loop.
void FrameEvidence::name_inner_job(Finding& finding) const TACTUS_RT {
  const IntegrationLoop* const loop =
      finding.job == Finding::kNoJob ? nullptr : program_.loop_running_as(finding.job);
  if (loop == nullptr || loop->longest().job == kNoPlanJob) return;
  const Nanoseconds took = program_.job_clock().to_time(loop->longest().ticks);
  if (took * 2 < finding.facts.took) return;
  finding.inner_job = loop->longest().job;
  finding.part_took = took;
}

/// The part that took most of it.
void FrameEvidence::name_part(const Stretch& stretch, Finding& finding) const TACTUS_RT {
  const PartTimes::Longest& longest =
      stretch.part == LatePart::housekeeping ? parts_.behind() : parts_.in_frame();
  const Nanoseconds took = program_.job_clock().to_time(longest.ticks);
  if (longest.name == nullptr || took * 2 < finding.facts.took) return;
  finding.part = longest.name;
  finding.part_took = took;
}

Finding FrameEvidence::wake_finding(const FrameTiming& timing) TACTUS_RT {
  Stretch wake;
  wake.part = LatePart::wake;
  wake.from = clock_.to_monotonic(timing.slot);
  wake.to = clock_.to_monotonic(timing.slot + timing.late);
  return finding_of(wake, timing);
}

Finding FrameEvidence::housekeeping_finding(const FrameTiming& timing) TACTUS_RT {
  Stretch behind;
  behind.part = LatePart::housekeeping;
  behind.to = clock_.to_monotonic(timing.slot + timing.late);
  behind.from = behind.to - timing.housekeeping;
  return finding_of(behind, timing);
}

/// It was late from a frame before it.
Finding FrameEvidence::catching_up_finding(const FrameTiming& timing, std::int64_t from) const TACTUS_RT {
  Finding finding;
  finding.facts.part = LatePart::catching_up;
  finding.facts.took = timing.late;
  finding.share = timing.late;
  finding.frame = from;
  finding.cause = rtsync::Cause::catching_up;
  return finding;
}

/// Returns how late the frame began, by what counts as that, and how much longer than usual it worked.
FrameEvidence::Excess FrameEvidence::excess_of(const FrameTiming& timing) const TACTUS_RT {
  constexpr Nanoseconds kNone{0};
  const bool began_late = timing.late_wake || timing.late_by_housekeeping || timing.back_to_back;
  const Nanoseconds usual = std::min(statistics_.work.quantile(0.5), timing.period);
  return {began_late ? std::max(timing.late, kNone) : kNone, std::max(timing.work - usual, kNone)};
}

/// It was late as the frame before was, and finding out why took until then.
Finding FrameEvidence::explanation_finding(const FrameTiming& timing) const TACTUS_RT {
  Finding finding = catching_up_finding(timing, explained_);
  finding.part = "causes";
  finding.part_took = timing.housekeeping;
  return finding;
}

/// Its begin and its work together: what had the largest share of the excess names the cause, and others are
/// named beside.
void FrameEvidence::explain_overrun(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  constexpr int kSmallest = 50;  // a part below one in so many does not count
  const Excess excess = excess_of(timing);
  const bool began_late = excess.begin * kSmallest > excess.begin + excess.work;
  const bool worked_long = excess.work * kSmallest > excess.begin + excess.work;
  Finding begin;
  Finding work;
  if (began_late) begin = timing.back_to_back ? catching_up_finding(timing, began_catching_up_) : note.late;
  if (worked_long || !began_late || timing.overrun == OverrunCause::work)
    work = finding_of(longest_.of_work(timing), timing);
  // What is caught up had the same cause, as where a job takes too long each time.
  const bool same = timing.back_to_back && timing.overrun == OverrunCause::work &&
                    work.cause == began_by_.cause && work.job == began_by_.job;
  FrameShares shares;
  if (began_late && !same) shares.add(begin, excess.begin);
  if (worked_long || !began_late || same) shares.add(work, excess.work);
  note.overrun = *shares.largest();
  shares.put_beside(note, -timing.slack);
  name_copy(note.beside);
  if (note.overrun.cause == rtsync::Cause::catching_up) return;
  began_catching_up_ = timing.frame;
  began_by_ = {note.overrun.cause, note.overrun.job};
}

void FrameEvidence::explain(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  if (timing.late_by_housekeeping && explanations_.fill(frames_, timing.housekeeping))
    note.late = explanation_finding(timing);
  const bool look = note.late.cause == rtsync::Cause::none;
  if (look) explanations_.begin();
  if (look && delays_ != nullptr) delays_->read();
  if (quotas_ != nullptr) quotas_->begin();
  find_causes(timing, note);
  if (!look) return;
  explanations_.end(frames_);
  explained_ = timing.frame;
}

void FrameEvidence::find_causes(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  if (timing.late_wake) note.late = wake_finding(timing);
  if (timing.late_by_housekeeping && note.late.cause == rtsync::Cause::none) {
    note.late = housekeeping_finding(timing);
    // Nothing held it up: there was more to look through than for other frames.
    if (note.late.cause == rtsync::Cause::housekeeping &&
        explanations_.had_most(frames_, timing.housekeeping))
      note.late = explanation_finding(timing);
  }
  if (timing.overrun != OverrunCause::none) return explain_overrun(timing, note);
  FrameShares shares;
  shares.add(note.late, timing.late);
  shares.put_beside(note, timing.late);
}

void FrameEvidence::end_frame(const FrameTiming& timing) TACTUS_RT {
  const bool copies = copy_ != nullptr && copy_->under_way();
  promises_.end_frame(copies || copied_);
  copied_ = copies;
  uses_.end_frame();
  isolated_.end_frame(program_.promises());
  parts_.begin_behind();
  if (delays_ != nullptr && began_anew(timing)) delays_->forget();
  if (delays_ != nullptr)
    delays_->add_awake(timing.housekeeping + std::max(timing.late, Nanoseconds{0}) + timing.work);
  if (ready_ != nullptr) ready_->end_frame();
  ++frames_;
  // Of late frames, and those that lose slots, before there are so many of them.
  const TimePoint<RigTime> began = timing.slot + timing.late;
  if (events_ != nullptr) events_->mark(clock_.to_monotonic(began));
  if (events_ == nullptr || (--until_release_ > 0 && began - released_ < release_every_)) return;
  until_release_ = kMostKept;
  released_ = began;
  last_slot_ns_.store(clock_.to_monotonic(timing.slot).time_since_epoch().count(), std::memory_order_relaxed);
  events_->release();
}

}  // namespace tactus::executive
