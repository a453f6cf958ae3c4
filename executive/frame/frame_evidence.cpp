// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_evidence.hpp"

#include <algorithm>
#include <utility>

#include "executive/frame/faults_of_copy.hpp"
#include "executive/frame/frame_shares.hpp"
#include "rtsync/evidence/continuation.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/time/clock_cost.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

using rtsync::EvidenceTime;
using rtsync::FrameTiming;
using rtsync::LatePart;
using rtsync::Nanoseconds;
using rtsync::OverrunCause;
using rtsync::RigTime;
using rtsync::TimePoint;

namespace {

constexpr int kMostKept = 32;  // frames whose records are kept

}  // namespace

void FrameEvidence::watch(std::shared_ptr<rtsync::KernelEvents> events,
                          std::optional<Nanoseconds> throttle_gap, bool preemptible) {
  constexpr Nanoseconds kKept{50'000'000};
  events_ = std::move(events);
  if (events_ != nullptr) uses_.watch(*events_, isolated_);
  throttle_gap_ = throttle_gap;
  preemptible_ = preemptible;
  release_every_ = std::clamp<std::int64_t>(kKept / frame_, 1, kMostKept) * frame_;
  until_release_ = 1;
  clock_read_ = rtsync::cost_of_reading(rtsync::monotonic_now);
}

/// The calls of the heap between two moments; their time may have gone round, within some seconds.
rtsync::HeapTimes FrameEvidence::heap_of(const Lane::JobEnd& begin, const Lane::JobEnd& end) TACTUS_RT {
  return {end.heap_calls - begin.heap_calls, Nanoseconds{std::uint32_t{end.heap_ns - begin.heap_ns}}};
}

/// Measuring them takes time, too.
rtsync::HeapTimes FrameEvidence::with_measuring(const rtsync::HeapTimes& heap,
                                                const Stretch& stretch) const TACTUS_RT {
  const Nanoseconds took = heap.took + clock_read_ * static_cast<std::int64_t>(heap.calls);
  return {heap.calls, std::min(took, stretch.time())};
}

/// Of a few the closest: the thread may be held up between two readings.
FrameEvidence::Moment FrameEvidence::now() const TACTUS_RT {
  constexpr int kTries = 3;
  Moment best{};
  std::uint64_t apart = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = program_.job_clock().ticks();
    const EvidenceTime time = rtsync::monotonic_now();
    const std::uint64_t between = program_.job_clock().ticks() - before;
    if (between >= apart) continue;
    apart = between;
    best = {before + between / 2, time};
  }
  return best;
}

FrameEvidence::Stretch FrameEvidence::stretch_of(const Moment& now,
                                                 const LateJobs::Calls& calls) const TACTUS_RT {
  Stretch stretch;
  if (calls.begin == nullptr) return stretch;
  stretch.lane = calls.lane;
  stretch.job = calls.job == kNoPlanJob ? Finding::kNoJob : calls.job;
  stretch.group = calls.group;
  stretch.from = at(now, calls.begin->ticks);
  stretch.to = at(now, calls.end->ticks);
  stretch.usual = std::max(stretch.time() - calls.excess, Nanoseconds{0});
  stretch.heap = heap_of(*calls.begin, *calls.end);
  stretch.for_others = calls.isolated;
  return stretch;
}

/// Of the main thread: the longest time of the frame in which none of its jobs ran.
FrameEvidence::Stretch FrameEvidence::longest_gap(const Moment& now, EvidenceTime wake,
                                                  EvidenceTime done) TACTUS_RT {
  Stretch worst;
  worst.part = LatePart::between_jobs;
  worst.from = worst.to = wake;
  const auto consider = [&](EvidenceTime from, EvidenceTime to) {
    if (to - from <= worst.to - worst.from) return;
    worst.from = from;
    worst.to = to;
  };
  EvidenceTime before = wake;
  for (const Lane::JobEnd& end : program_.lane(0).log()) {
    const EvidenceTime time = at(now, end.ticks);
    if (end.job == kNoPlanJob) consider(before, time);
    before = time;
  }
  consider(before, done);
  // A job of an asynchronous thread that the frame waited for: the only thing that is noted by now.
  if (const std::uint32_t awaited = program_.lane(0).longest_job(); awaited != kNoPlanJob) {
    worst.job = awaited;
    worst.for_others = true;
  }
  return worst;
}

FrameEvidence::Stretch FrameEvidence::longest_of_work(const FrameTiming& timing) TACTUS_RT {
  const Moment now = this->now();
  const EvidenceTime wake = clock_.to_monotonic(timing.slot + timing.late);
  const EvidenceTime done = clock_.to_monotonic(timing.slot + timing.late + timing.work);
  LateJobs::Calls late;
  LateJobs::Calls longest_call;
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) {
    const LateJobs::Log log = program_.lane(lane).log();
    const LateJobs::Calls calls = late_jobs_.beyond_usual(lane, log);
    if (calls.begin != nullptr && (late.begin == nullptr || calls.excess > late.excess)) late = calls;
    const LateJobs::Calls one = late_jobs_.longest(lane, log);
    if (one.begin != nullptr && (longest_call.begin == nullptr || one.ticks() > longest_call.ticks()))
      longest_call = one;
  }
  const Stretch job = stretch_of(now, late);
  const bool none = job.to <= job.from;
  if (!program_.plan().job_times) {  // jobs are not measured: the work as a whole
    Stretch work;
    work.from = wake;
    work.to = done;
    work.usual = statistics_.work.quantile(0.5);
    return work;
  }
  const Stretch gap = longest_gap(now, wake, done);
  if (none) return gap;
  // While main waits for a thread, the job there that takes long is the cause.
  const Nanoseconds shared = std::min(job.to, gap.to) - std::max(job.from, gap.from);
  if (job.lane != 0 && !gap.for_others && shared * 2 > gap.to - gap.from) return job;
  const Stretch& worst = gap.excess() > job.excess() + job.excess() / 4 ? gap : job;
  // What it was over by itself: it may have begun late.
  const Nanoseconds over = std::min(-timing.slack, timing.work - frame_);
  if (worst.excess() * 2 >= over) return worst;
  // It always takes so long: what took longest of all.
  const Stretch longest_job = stretch_of(now, longest_call);
  Stretch longest = gap.time() > longest_job.time() ? gap : longest_job;
  longest.always = true;
  return longest;
}

bool FrameEvidence::went_on_in(const Stretch& stretch) TACTUS_RT {
  constexpr Nanoseconds kAfterwards{100'000};  // where another thread has noted it
  const EvidenceTime last = rtsync::ContinuationWatch::last();
  return last >= stretch.from && last <= stretch.to + kAfterwards;
}

void FrameEvidence::see(std::size_t thread, const Stretch& stretch,
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

/// Of a thread that works in the frame, for which main waited while none of its jobs ran: it had not come yet.
Finding::Root FrameEvidence::root_of_lane(const Stretch& stretch) const TACTUS_RT {
  Finding::Root root;
  root.thread = program_.lane(0).longest_wait().thread;
  if (root.thread == 0) return root;
  Stretch wake = stretch;
  wake.part = LatePart::wake;
  for (std::size_t lane = 1; lane < program_.lanes(); ++lane) {
    if (program_.thread_of_lane(lane) != root.thread) continue;
    root.facts.part = LatePart::wake;
    root.facts.took = stretch.time();
    see(lane, wake, root.evidence);
    root.cause = rtsync::judge(root.facts, root.evidence);
  }
  return root;
}

/// Of a job of an isolated model. Nothing: the job has another, or its process did not say it.
std::optional<FrameEvidence::CallTimes> FrameEvidence::times_of_call(const Stretch& stretch) const TACTUS_RT {
  if (stretch.part != LatePart::job || stretch.job == Finding::kNoJob) return std::nullopt;
  const CallPage::Use* const last = isolated_.last(stretch.job);
  if (last == nullptr || last->taken > last->answered || last->answered < stretch.from ||
      last->taken > stretch.to)
    return std::nullopt;
  return CallTimes{std::max(last->taken, stretch.from), std::min(last->answered, stretch.to)};
}

/// Of a job that waited for its model, which has a process of its own: what that did, or what kept it from the call.
Finding::Root FrameEvidence::root_of_process(const Stretch& stretch) const TACTUS_RT {
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
  see(program_.lanes() + program_.async_workers().size() + process, part, root.evidence);
  if (part.part == LatePart::job) isolated_.see(stretch.job, root.evidence);
  if (root.evidence.heap) root.evidence.heap = with_measuring(*root.evidence.heap, part);
  root.cause = rtsync::judge(root.facts, root.evidence);
  return root;
}

/// Where nothing but its own work is left, page faults may have taken that: looks at what the kernel counted.
rtsync::CauseWeights FrameEvidence::judge_with_counts(std::size_t thread, const Stretch& stretch,
                                                      const rtsync::FrameFacts& facts,
                                                      rtsync::Evidence& evidence) TACTUS_RT {
  using rtsync::Cause;
  const rtsync::CauseWeights verdict = rtsync::weigh(facts, evidence);
  if (rtsync::is_wake(facts.part) || (verdict.cause != Cause::computed && verdict.cause != Cause::unknown &&
                                      verdict.cause != Cause::housekeeping))
    return verdict;
  uses_.see_counted(thread, stretch.from, evidence);
  return rtsync::weigh(facts, evidence);
}

/// What a thread did while the frame waited for it: all of that time was too much. It waits for nobody itself.
Finding::Root FrameEvidence::root_of(const Stretch& stretch) TACTUS_RT {
  if (stretch.job == Finding::kNoJob) return root_of_lane(stretch);
  if (program_.plan().jobs[stretch.job].isolated != nullptr) return root_of_process(stretch);
  Finding::Root root;
  const std::size_t thread = program_.plan().jobs[stretch.job].thread;
  const auto workers = program_.async_workers();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i]->thread != thread) continue;
    root.facts = {LatePart::job, stretch.time(), Nanoseconds{0}};
    see(program_.lanes() + i, stretch, root.evidence);
    uses_.see_async(i, stretch.from, stretch.to, root.evidence);
    if (root.evidence.heap) root.evidence.heap = with_measuring(*root.evidence.heap, stretch);
    root.cause = judge_with_counts(program_.lanes() + i, stretch, root.facts, root.evidence).cause;
  }
  return root;
}

Finding FrameEvidence::judge(const Stretch& whole, const FrameTiming& timing) TACTUS_RT {
  Stretch stretch = whole;
  if (const auto times = times_of_call(whole); times && (whole.to - times->answered) * 2 > whole.excess()) {
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
  see(stretch.lane, stretch, finding.evidence);
  if (stretch.part == LatePart::job && rtsync::HeapWatch::available())
    finding.evidence.heap = with_measuring(stretch.heap, stretch);
  if (const rtsync::MapLog* const maps = program_.lane(stretch.lane).maps();
      stretch.part == LatePart::job && maps != nullptr)
    finding.evidence.maps = maps_of(stretch, *maps);
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
  const rtsync::CauseWeights verdict =
      judge_with_counts(stretch.lane, stretch, finding.facts, finding.evidence);
  finding.cause = verdict.cause;
  finding.share = verdict.share;
  finding.besides = verdict.beside;
  if (stretch.part == LatePart::between_jobs || stretch.part == LatePart::housekeeping)
    name_part(stretch, finding);
  else if (stretch.part == LatePart::job)
    name_inner_job(finding);
  name_copy(finding);
  if (finding.cause == rtsync::Cause::waited) finding.root = root_of(stretch);
  return finding;
}

/// Of an integration loop the job that took most of it.
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
  return judge(wake, timing);
}

Finding FrameEvidence::housekeeping_finding(const FrameTiming& timing) TACTUS_RT {
  Stretch behind;
  behind.part = LatePart::housekeeping;
  behind.to = clock_.to_monotonic(timing.slot + timing.late);
  behind.from = behind.to - timing.housekeeping;
  return judge(behind, timing);
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

/// How long the frame began late, by what counts as that, and how much longer than usual it worked.
FrameEvidence::Excess FrameEvidence::excess_of(const FrameTiming& timing) const TACTUS_RT {
  constexpr Nanoseconds kNone{0};
  const bool began_late = timing.late_wake || timing.late_by_housekeeping || timing.back_to_back;
  const Nanoseconds usual = std::min(statistics_.work.quantile(0.5), frame_);
  return {began_late ? std::max(timing.late, kNone) : kNone, std::max(timing.work - usual, kNone)};
}

/// It was late as the frame before was, and finding out why took until then.
Finding FrameEvidence::explanation_finding(const FrameTiming& timing) const TACTUS_RT {
  Finding finding = catching_up_finding(timing, explained_);
  finding.part = "causes";
  finding.part_took = timing.housekeeping;
  return finding;
}

/// Its begin and its work together: what had the largest share of the excess names the cause, and others stand beside.
void FrameEvidence::explain_overrun(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  constexpr int kSmallest = 50;  // a part below one in so many does not count
  const Excess excess = excess_of(timing);
  const bool began_late = excess.begin * kSmallest > excess.begin + excess.work;
  const bool worked_long = excess.work * kSmallest > excess.begin + excess.work;
  Finding begin;
  Finding work;
  if (began_late) begin = timing.back_to_back ? catching_up_finding(timing, began_catching_up_) : note.late;
  if (worked_long || !began_late || timing.overrun == OverrunCause::work)
    work = judge(longest_of_work(timing), timing);
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
  // A frame sleeps once: it leaves its CPU, and comes back.
  constexpr std::uint64_t kOneSleep = 2 * 40;
  const bool copies = copy_ != nullptr && copy_->under_way();
  faults_of_copy_ = copies || copied_;
  copied_ = copies;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    LaneSeen& seen = lanes_[i];
    if (rtsync::MapLog* const maps = program_.lane(i).maps(); maps != nullptr && !maps->empty()) [[unlikely]]
      note_maps(i, *maps);
    if (events_ == nullptr || !events_->ring(i).is_open()) continue;
    const bool each_fault = note_faults(i);
    const std::uint64_t head = events_->ring(i).head();
    if (head - seen.head > kOneSleep) note_promises(i, head, !each_fault);
    seen.head = head;
  }
  uses_.end_frame();
  isolated_.end_frame(program_.promises());
  parts_.begin_behind();
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
