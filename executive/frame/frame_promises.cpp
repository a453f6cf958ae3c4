// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_promises.hpp"

#include <algorithm>
#include <span>

#include "executive/frame/stretch.hpp"

namespace tactus::executive {

using rtsync::EventRecord;
using rtsync::EvidenceTime;

namespace {

constexpr int kMostRecords = 256;

enum class Place { outside, across, inside };

/// Returns where calls were: a microsecond does not matter.
Place place_of(const rtsync::MapCalls& calls, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  const Nanoseconds edge = std::min<Nanoseconds>((calls.end - calls.begin) / 2, Nanoseconds{1'000});
  const EvidenceTime begin{calls.begin + edge};
  const EvidenceTime end{calls.end - edge};
  if (end < from || begin > to) return Place::outside;
  return begin >= from && end <= to ? Place::inside : Place::across;
}

/// The jobs of a lane's log by their times, which are asked for in order.
class JobsByTime {
 public:
  /// Needs two entries or more.
  JobsByTime(const JobClock& clock, std::span<const Lane::JobEnd> log) TACTUS_RT
      : times_(clock),
        log_(log),
        begin_(times_.at(log[0].ticks)),
        end_(times_.at(log[1].ticks)) {}

  /// nullptr: none ran then.
  const Lane::JobEnd* at(EvidenceTime time) TACTUS_RT {
    while (time > end_ && entry_ + 1 < log_.size()) {
      begin_ = end_;
      end_ = times_.at(log_[++entry_].ticks);
    }
    return time < begin_ || time > end_ || log_[entry_].job == kNoPlanJob ? nullptr : &log_[entry_];
  }

 private:
  const LaneTimes times_;
  std::span<const Lane::JobEnd> log_;
  std::size_t entry_ = 1;
  EvidenceTime begin_;
  EvidenceTime end_;
};

/// Adds up what a job did in a call, and counts the call once.
class JobCounts {
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

}  // namespace

rtsync::MapTimes maps_between(const rtsync::MapLog& maps, EvidenceTime from, EvidenceTime to) TACTUS_RT {
  rtsync::MapTimes sum;
  for (const rtsync::MapCalls& calls : maps.entries()) {
    const Place place = place_of(calls, from, to);
    if (place == Place::across) sum.unplaced += calls.took;
    if (place == Place::inside) sum.add(calls);
  }
  return sum;
}

/// The pages that the kernel took in calls that map memory, given to the jobs that made them.
void FramePromises::note_maps(std::size_t lane, rtsync::MapLog& maps) TACTUS_RT {
  const std::span<const Lane::JobEnd> log = program_.lane(lane).log();
  const LaneTimes times(program_.job_clock());
  for (std::size_t i = 1; i < log.size(); ++i) {
    if (log[i].job == kNoPlanJob) continue;
    const EvidenceTime from = times.at(log[i - 1].ticks);
    const EvidenceTime to = times.at(log[i].ticks);
    std::uint64_t faults = 0;
    for (const rtsync::MapCalls& calls : maps.entries())
      if (place_of(calls, from, to) == Place::inside) faults += calls.faults;
    if (faults > 0) program_.promises().add(log[i].job, BrokenPromises::fault, faults);
  }
  uses_.note_maps(lane, maps);
  maps.clear();
}

/// The kernel took a sample of each minor fault since the frame before.
bool FramePromises::has_each_fault(std::size_t lane, std::uint64_t head) TACTUS_RT {
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
bool FramePromises::note_faults(std::size_t lane, bool faults_of_copy) TACTUS_RT {
  rtsync::EventRing& ring = events_->faults(lane);
  if (!ring.is_open()) return false;
  const std::uint64_t head = ring.head();
  if (head == ring.tail()) return !lanes_[lane].limited;
  const bool each = has_each_fault(lane, head);
  if (each && !faults_of_copy && program_.lane(lane).log().size() > 1) {
    JobsByTime jobs(program_.job_clock(), program_.lane(lane).log());
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
const Lane::JobEnd* FramePromises::of_own_process(const Lane::JobEnd* call) const TACTUS_RT {
  return call != nullptr && program_.plan().jobs[call->job].isolated != nullptr ? nullptr : call;
}

/// Assigns the records in the ring of a lane since the frame before to its jobs. `minor_faults`: those, too.
void FramePromises::note_ring(std::size_t lane, std::uint64_t head, bool minor_faults) TACTUS_RT {
  if (program_.lane(lane).log().size() < 2) return;
  JobsByTime jobs(program_.job_clock(), program_.lane(lane).log());
  JobCounts faults(program_.promises(), BrokenPromises::fault);
  JobCounts blocks(program_.promises(), BrokenPromises::block);
  const rtsync::EventBytes bytes = events_->ring(lane).bytes();
  std::uint64_t from = std::max(lanes_[lane].head, events_->ring(lane).tail());
  EventRecord record;
  bool in_call = true;  // or not known: what stops it elsewhere is not its own doing
  for (int i = 0; i < kMostRecords && bytes.next(from, head, record); ++i) {
    if (record.kind == EventRecord::Kind::left) in_call = record.in_call != EventRecord::InCall::no;
    if (record.kind == EventRecord::Kind::minor_fault && minor_faults)
      faults.add(jobs.at(record.at), events_->faults_per_sample(lane));
    else if (record.kind == EventRecord::Kind::major_fault)
      faults.add(jobs.at(record.at), 1);
    else if (record.kind == EventRecord::Kind::off && in_call)
      blocks.add(of_own_process(jobs.at(record.at)), 1);
  }
}

void FramePromises::end_frame(bool faults_of_copy) TACTUS_RT {
  // A frame sleeps once: it leaves its CPU, and comes back.
  constexpr std::uint64_t kOneSleep = 2 * 40;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    LaneSeen& seen = lanes_[i];
    if (rtsync::MapLog* const maps = program_.lane(i).maps(); maps != nullptr && !maps->empty()) [[unlikely]]
      note_maps(i, *maps);
    if (events_ == nullptr || !events_->ring(i).is_open()) continue;
    const bool each_fault = note_faults(i, faults_of_copy);
    const std::uint64_t head = events_->ring(i).head();
    if (head - seen.head > kOneSleep) note_ring(i, head, !each_fault && !faults_of_copy);
    seen.head = head;
  }
}

}  // namespace tactus::executive
