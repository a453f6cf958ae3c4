// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_evidence.hpp"

#include <algorithm>
#include <utility>

#include "executive/frame/faults_of_copy.hpp"
#include "rtsync/evidence/continuation.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/time/clock_cost.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

using rtsync::EventRecord;
using rtsync::EvidenceTime;
using rtsync::FrameTiming;
using rtsync::LatePart;
using rtsync::Nanoseconds;
using rtsync::OverrunCause;
using rtsync::RigTime;
using rtsync::TimePoint;

namespace {

constexpr int kMostKept = 32;  // frames whose records are kept

enum class Place { outside, across, inside };

/// Where calls were: a microsecond off is no matter.
Place place_of(const rtsync::MapCalls& calls, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  const Nanoseconds edge = std::min<Nanoseconds>((calls.end - calls.begin) / 2, Nanoseconds{1'000});
  const EvidenceTime begin{calls.begin + edge};
  const EvidenceTime end{calls.end - edge};
  if (end < from || begin > to) return Place::outside;
  return begin >= from && end <= to ? Place::inside : Place::across;
}

}  // namespace

/// The jobs of a lane's log by their times, which are asked for in order.
class FrameEvidence::JobsByTime {
 public:
  /// Of two entries or more.
  JobsByTime(const FrameEvidence& evidence, std::span<const Lane::JobEnd> log) TACTUS_RT
      : evidence_(evidence),
        now_(evidence.now()),
        log_(log),
        begin_(evidence.at(now_, log[0].ticks)),
        end_(evidence.at(now_, log[1].ticks)) {}

  /// nullptr: none ran then.
  const Lane::JobEnd* at(EvidenceTime time) TACTUS_RT {
    while (time > end_ && entry_ + 1 < log_.size()) {
      begin_ = end_;
      end_ = evidence_.at(now_, log_[++entry_].ticks);
    }
    return time < begin_ || time > end_ || log_[entry_].job == kNoPlanJob ? nullptr : &log_[entry_];
  }

 private:
  const FrameEvidence& evidence_;
  const Moment now_;
  std::span<const Lane::JobEnd> log_;
  std::size_t entry_ = 1;
  EvidenceTime begin_;
  EvidenceTime end_;
};

/// Adds up what a job did in a call, and counts the call once.
class FrameEvidence::JobCounts {
 public:
  JobCounts(BrokenPromises& promises, BrokenPromises::Kind kind) TACTUS_RT : promises_(promises),
                                                                             kind_(kind) {}
  ~JobCounts() { finish(); }
  JobCounts(const JobCounts&) = delete;
  JobCounts& operator=(const JobCounts&) = delete;
  void add(const Lane::JobEnd* call, std::uint64_t times) TACTUS_RT {
    if (call != call_) finish();
    call_ = call;
    times_ += times;
  }

 private:
  void finish() TACTUS_RT {
    if (call_ != nullptr) promises_.add(call_->job, kind_, times_);
    times_ = 0;
  }
  BrokenPromises& promises_;
  const BrokenPromises::Kind kind_;
  const Lane::JobEnd* call_ = nullptr;
  std::uint64_t times_ = 0;
};

void FrameEvidence::watch(std::shared_ptr<rtsync::KernelEvents> events,
                          std::optional<Nanoseconds> throttle_gap, bool preemptible) {
  constexpr Nanoseconds kKept{50'000'000};
  events_ = std::move(events);
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

/// The job that took longest, and the one beyond its usual time; of the few longest, as looking that up is not cheap.
FrameEvidence::LongestJobs FrameEvidence::longest_jobs(const Moment& now) TACTUS_RT {
  struct Candidate {
    std::uint64_t ticks = 0;
    std::size_t lane = 0;
    std::size_t entry = 0;
  };
  std::array<Candidate, kMostCandidates> longest{};
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) {
    const std::span<const Lane::JobEnd> log = program_.lane(lane).log();
    for (std::size_t i = 1; i < log.size(); ++i) {
      const std::uint64_t ticks = log[i].ticks - log[i - 1].ticks;
      if (log[i].job == kNoPlanJob || ticks <= longest.back().ticks) continue;
      longest.back() = {ticks, lane, i};
      for (std::size_t place = longest.size() - 1;
           place > 0 && longest[place].ticks > longest[place - 1].ticks; --place)
        std::swap(longest[place], longest[place - 1]);
    }
  }
  LongestJobs jobs;
  for (const Candidate& candidate : longest) {
    if (candidate.ticks == 0) break;
    const std::span<const Lane::JobEnd> log = program_.lane(candidate.lane).log();
    const Lane::JobEnd& end = log[candidate.entry];
    const Lane::JobEnd& begin = log[candidate.entry - 1];
    const Stretch stretch{LatePart::job,
                          candidate.lane,
                          end.job,
                          at(now, begin.ticks),
                          at(now, end.ticks),
                          program_.job_times()[end.job].quantile(0.5),
                          heap_of(begin, end),
                          program_.plan().jobs[end.job].isolated != nullptr};
    if (jobs.of_all.job == Finding::kNoJob) jobs.of_all = stretch;
    if (jobs.beyond_usual.job == Finding::kNoJob || stretch.excess() > jobs.beyond_usual.excess())
      jobs.beyond_usual = stretch;
  }
  return jobs;
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
  const LongestJobs jobs = longest_jobs(now);
  const Stretch& job = jobs.beyond_usual;
  const bool none = job.job == Finding::kNoJob;
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
  Stretch longest = gap.time() > jobs.of_all.time() ? gap : jobs.of_all;
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
  see(program_.lanes() + asyncs_.size() + process, part, root.evidence);
  if (part.part == LatePart::job) isolated_.see(stretch.job, root.evidence);
  if (root.evidence.heap) root.evidence.heap = with_measuring(*root.evidence.heap, part);
  root.cause = rtsync::judge(root.facts, root.evidence);
  return root;
}

/// What a thread did while the frame waited for it: all of that time was too much. It waits for nobody itself.
Finding::Root FrameEvidence::root_of(const Stretch& stretch) const TACTUS_RT {
  if (stretch.job == Finding::kNoJob) return root_of_lane(stretch);
  if (program_.plan().jobs[stretch.job].isolated != nullptr) return root_of_process(stretch);
  Finding::Root root;
  const std::size_t thread = program_.plan().jobs[stretch.job].thread;
  const auto workers = program_.async_workers();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i]->thread != thread) continue;
    root.facts = {LatePart::job, stretch.time(), Nanoseconds{0}};
    see(program_.lanes() + i, stretch, root.evidence);
    if (rtsync::HeapWatch::available()) {
      const HeapSeen now = heap_seen(workers[i]->lane);
      root.evidence.heap =
          with_measuring({now.calls - asyncs_[i].calls, now.time - asyncs_[i].time}, stretch);
    }
    root.cause = rtsync::judge(root.facts, root.evidence);
  }
  return root;
}

FrameEvidence::HeapSeen FrameEvidence::heap_seen(const Lane& lane) TACTUS_RT {
  return {lane.heap().calls(), lane.heap().time()};
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
  finding.frame = timing.frame;
  finding.facts.part = stretch.part;
  finding.facts.took = stretch.time();
  finding.facts.usual = stretch.usual;
  finding.facts.for_others = stretch.for_others;
  finding.facts.always = stretch.always;
  if (stretch.part == LatePart::job)
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
  finding.cause = rtsync::judge(finding.facts, finding.evidence);
  if (stretch.part == LatePart::between_jobs || stretch.part == LatePart::housekeeping)
    name_part(stretch, finding);
  else if (stretch.part == LatePart::job)
    name_inner_job(finding);
  if (copied_ || (copy_ != nullptr && copy_->under_way())) charge_copy_with_faults(finding);
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

Finding FrameEvidence::catching_up_finding(const FrameTiming& timing) const TACTUS_RT {
  Finding finding;
  finding.facts.part = LatePart::catching_up;
  finding.facts.took = timing.late;
  finding.frame = began_catching_up_;
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

/// Its begin and its work together: what had the larger part of the excess names the cause, and the other stands beside.
void FrameEvidence::explain_overrun(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  constexpr int kSmallest = 50;  // a part below one in so many does not count
  const Excess excess = excess_of(timing);
  const bool began_late = excess.begin * kSmallest > excess.begin + excess.work;
  const bool worked_long = excess.work * kSmallest > excess.begin + excess.work;
  Finding begin;
  Finding work;
  if (began_late) begin = timing.back_to_back ? catching_up_finding(timing) : note.late;
  if (worked_long || !began_late || timing.overrun == OverrunCause::work)
    work = judge(longest_of_work(timing), timing);
  // What is caught up had the same cause, as where a job takes too long each time.
  const bool same = timing.back_to_back && timing.overrun == OverrunCause::work &&
                    work.cause == began_by_.cause && work.job == began_by_.job;
  const bool by_work = !began_late || same || (worked_long && excess.work > excess.begin);
  note.overrun = by_work ? work : begin;
  if (began_late && worked_long && !same) {
    note.beside = by_work ? begin : work;
    const double share = static_cast<double>((by_work ? excess.begin : excess.work).count()) /
                         static_cast<double>((excess.begin + excess.work).count());
    note.beside_share =
        Nanoseconds{static_cast<std::int64_t>(share * static_cast<double>(-timing.slack.count()))};
  }
  if (note.overrun.cause == rtsync::Cause::catching_up) return;
  began_catching_up_ = timing.frame;
  began_by_ = {note.overrun.cause, note.overrun.job};
}

void FrameEvidence::explain(const FrameTiming& timing, FrameNote& note) TACTUS_RT {
  if (timing.late_wake) note.late = wake_finding(timing);
  if (timing.late_by_housekeeping) note.late = housekeeping_finding(timing);
  if (timing.overrun != OverrunCause::none) explain_overrun(timing, note);
}

rtsync::MapTimes FrameEvidence::maps_of(const Stretch& stretch, const rtsync::MapLog& maps) const TACTUS_RT {
  rtsync::MapTimes sum;
  for (const rtsync::MapCalls& calls : maps.entries()) {
    const Place place = place_of(calls, stretch.from, stretch.to);
    if (place == Place::across) sum.unplaced += calls.took;
    if (place == Place::inside) sum.add(calls);
  }
  return sum;
}

/// The pages that the kernel took in calls that map memory, given to the jobs that made them.
void FrameEvidence::note_maps(std::size_t lane, rtsync::MapLog& maps) TACTUS_RT {
  const std::span<const Lane::JobEnd> log = program_.lane(lane).log();
  const Moment now = this->now();
  for (std::size_t i = 1; i < log.size(); ++i) {
    if (log[i].job == kNoPlanJob) continue;
    const EvidenceTime from = at(now, log[i - 1].ticks);
    const EvidenceTime to = at(now, log[i].ticks);
    std::uint64_t faults = 0;
    for (const rtsync::MapCalls& calls : maps.entries())
      if (place_of(calls, from, to) == Place::inside) faults += calls.faults;
    if (faults > 0) program_.promises().add(log[i].job, BrokenPromises::fault, faults);
  }
  maps.clear();
}

/// The kernel took a sample of each minor fault since the frame before.
bool FrameEvidence::has_each_fault(std::size_t lane, std::uint64_t head) TACTUS_RT {
  constexpr std::size_t kLargestRecord = 64;
  const rtsync::EventRing& ring = events_->faults(lane);
  const rtsync::EventBytes bytes = ring.bytes();
  LaneSeen& seen = lanes_[lane];
  const bool was_full = std::exchange(seen.full, head - ring.tail() + kLargestRecord > ring.size());
  bool each = !seen.limited && !seen.full;
  EventRecord record;
  for (std::uint64_t from = ring.tail(); from < head;) {
    if (!bytes.next(from, head, record)) return false;
    if (record.kind == EventRecord::Kind::limited) seen.limited = true;
    if (record.kind == EventRecord::Kind::unlimited) seen.limited = false;
    // That some are missing is only said when there is room again.
    each = each && !seen.limited && (record.kind != EventRecord::Kind::lost || was_full);
  }
  return each;
}

/// Gives each minor fault since the frame before to its job. False: not all are known.
bool FrameEvidence::note_faults(std::size_t lane) TACTUS_RT {
  rtsync::EventRing& ring = events_->faults(lane);
  if (!ring.is_open()) return false;
  const std::uint64_t head = ring.head();
  if (head == ring.tail()) return !lanes_[lane].limited;
  const bool each = has_each_fault(lane, head);
  if (each && !faults_of_copy_ && program_.lane(lane).log().size() > 1) {
    JobsByTime jobs(*this, program_.lane(lane).log());
    JobCounts counts(program_.promises(), BrokenPromises::fault);
    const rtsync::EventBytes bytes = ring.bytes();
    EventRecord record;
    for (std::uint64_t from = ring.tail(); bytes.next(from, head, record);)
      if (record.kind == EventRecord::Kind::minor_fault) counts.add(jobs.at(record.at), 1);
  }
  ring.release_to(head);
  return each;
}

/// nullptr: its model has a process of its own, and it is the executive that waits.
const Lane::JobEnd* FrameEvidence::of_own_process(const Lane::JobEnd* call) const TACTUS_RT {
  return call != nullptr && program_.plan().jobs[call->job].isolated != nullptr ? nullptr : call;
}

/// What stands in the ring of a lane since the frame before, given to its jobs. `minor_faults`: those, too.
void FrameEvidence::note_promises(std::size_t lane, std::uint64_t head, bool minor_faults) TACTUS_RT {
  if (program_.lane(lane).log().size() < 2) return;
  JobsByTime jobs(*this, program_.lane(lane).log());
  JobCounts faults(program_.promises(), BrokenPromises::fault);
  JobCounts blocks(program_.promises(), BrokenPromises::block);
  const rtsync::EventBytes bytes = events_->ring(lane).bytes();
  std::uint64_t from = std::max(lanes_[lane].head, events_->ring(lane).tail());
  EventRecord record;
  bool in_call = true;  // or not known: what stops it elsewhere is not its own doing
  for (int i = 0; i < kMostRecords && bytes.next(from, head, record); ++i) {
    if (record.kind == EventRecord::Kind::left) in_call = record.in_call != EventRecord::InCall::no;
    if (record.kind == EventRecord::Kind::minor_fault && minor_faults && !faults_of_copy_)
      faults.add(jobs.at(record.at), events_->faults_per_sample(lane));
    else if (record.kind == EventRecord::Kind::major_fault)
      faults.add(jobs.at(record.at), 1);
    else if (record.kind == EventRecord::Kind::off && in_call)
      blocks.add(of_own_process(jobs.at(record.at)), 1);
  }
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
  for (std::size_t i = 0; i < asyncs_.size(); ++i) asyncs_[i] = heap_seen(program_.async_workers()[i]->lane);
  isolated_.end_frame(program_.promises());
  parts_.begin_behind();
  ++frames_;
  // Of late frames, and those that lose slots, before there are so many of them.
  const TimePoint<RigTime> began = timing.slot + timing.late;
  if (events_ == nullptr || (--until_release_ > 0 && began - released_ < release_every_)) return;
  until_release_ = kMostKept;
  released_ = began;
  last_slot_ns_.store(clock_.to_monotonic(timing.slot).time_since_epoch().count(), std::memory_order_relaxed);
  events_->release();
}

}  // namespace tactus::executive
