// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/longest_stretch.hpp"

#include <algorithm>

namespace tactus::executive {

using rtsync::EvidenceTime;
using rtsync::FrameTiming;
using rtsync::LatePart;

namespace {

std::vector<bool> isolated_jobs(const Plan& plan) {
  std::vector<bool> isolated;
  for (const PlannedJob& job : plan.jobs) isolated.push_back(job.isolated != nullptr);
  return isolated;
}

/// The calls of the heap between two moments; their time may have gone round, within some seconds.
rtsync::HeapTimes heap_of(const Lane& lane, const JobEnd& begin, const JobEnd& end) TACTUS_RT {
  return {end.heap_calls - begin.heap_calls, lane.heap_time(begin, end)};
}

}  // namespace

LongestStretch::LongestStretch(const Program& program, rtsync::PacedClock& clock,
                               const FrameStatistics& statistics)
    : program_(program),
      clock_(clock),
      statistics_(statistics),
      late_jobs_(program.job_clock(), program.job_times(), isolated_jobs(program.plan())) {}

Stretch LongestStretch::of_calls(const LaneTimes& times, const LateJobs::Calls& calls) const TACTUS_RT {
  Stretch stretch;
  if (calls.begin == nullptr) return stretch;
  stretch.lane = calls.lane;
  stretch.job = calls.job == kNoPlanJob ? Finding::kNoJob : calls.job;
  stretch.group = calls.group;
  stretch.from = times.at(calls.begin->ticks);
  stretch.to = times.at(calls.end->ticks);
  stretch.usual = std::max(stretch.time() - calls.excess, Nanoseconds{0});
  stretch.heap = heap_of(program_.lane(calls.lane), *calls.begin, *calls.end);
  stretch.for_others = calls.isolated;
  return stretch;
}

/// Returns the longest time of the frame in which no job of the main thread ran.
Stretch LongestStretch::gap(const LaneTimes& times, EvidenceTime wake, EvidenceTime done) const TACTUS_RT {
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
    const EvidenceTime time = times.at(end.ticks);
    if (end.job == kNoPlanJob) consider(before, time);
    before = time;
  }
  consider(before, done);
  // A job of an asynchronous thread that the frame waited for: the only thing that is noted by now.
  const Lane& main = program_.lane(0);
  if (main.longest_job() != kNoPlanJob && worst.is_wait(program_.job_clock().to_time(main.longest_ticks()))) {
    worst.job = main.longest_job();
    worst.for_others = true;
  }
  return worst;
}

/// The jobs are measured, and all calls of the frame had room.
bool LongestStretch::is_logged() const TACTUS_RT {
  bool logged = program_.plan().job_times;
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane)
    logged = logged && !program_.lane(lane).is_cut();
  return logged;
}

Stretch LongestStretch::of_work(const FrameTiming& timing) TACTUS_RT {
  const LaneTimes times(program_.job_clock());
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
  const Stretch job = of_calls(times, late);
  const bool none = job.to <= job.from;
  if (!is_logged()) {  // not all jobs are there to be named: the work as a whole
    Stretch work;
    work.from = wake;
    work.to = done;
    work.usual = statistics_.work.quantile(0.5);
    return work;
  }
  const Stretch gap = this->gap(times, wake, done);
  if (none) return gap;
  // While main waits for a thread, the job there that takes long is the cause.
  const Nanoseconds shared = std::min(job.to, gap.to) - std::max(job.from, gap.from);
  if (job.lane != 0 && !gap.for_others && shared * 2 > gap.to - gap.from) return job;
  const Stretch& worst = gap.excess() > job.excess() + job.excess() / 4 ? gap : job;
  // What it overran by itself: it may have begun late.
  const Nanoseconds over = std::min(-timing.slack, timing.work - timing.period);
  if (worst.excess() * 2 >= over) return worst;
  // It always takes so long: what took longest of all.
  const Stretch longest_job = of_calls(times, longest_call);
  Stretch longest = gap.time() > longest_job.time() ? gap : longest_job;
  longest.always = true;
  return longest;
}

}  // namespace tactus::executive
