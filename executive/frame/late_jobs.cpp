// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/late_jobs.hpp"

namespace tactus::executive {

/// Adds up what each job of a lane took beyond its usual time. Returns the one with most; kNoPlanJob: none ran.
std::uint32_t LateJobs::look_at(Log log) TACTUS_RT {
  ++round_;
  for (std::size_t i = 1; i < log.size(); ++i) {
    if (log[i].job == kNoPlanJob) continue;
    Job& job = jobs_[log[i].job];
    if (job.round != round_) {
      job = {};
      job.round = round_;
      job.usual = times_[log[i].job].median();
    }
    const Nanoseconds excess = clock_.to_time(log[i].ticks - log[i - 1].ticks) - job.usual;
    if (job.calls == 0 || excess > job.longest) {
      job.longest = excess;
      job.longest_call = i;
    }
    job.excess += excess;
    ++job.calls;
  }
  std::uint32_t worst = kNoPlanJob;
  for (std::size_t i = 1; i < log.size(); ++i)
    if (log[i].job != kNoPlanJob && (worst == kNoPlanJob || jobs_[log[i].job].excess > jobs_[worst].excess))
      worst = log[i].job;
  return worst;
}

void LateJobs::put_first(JobGroup& group, std::uint32_t job) const TACTUS_RT {
  for (std::uint32_t& place : group.first) {
    if (place != Finding::kNoJob && jobs_[place].excess >= jobs_[job].excess) continue;
    std::swap(place, job);
    if (job == Finding::kNoJob) return;
  }
}

LateJobs::Calls LateJobs::beyond_usual(std::size_t lane, Log log) TACTUS_RT {
  constexpr int kShares = 10;  // a job has a share from a part of the largest one on: one in so many
  Calls calls{.lane = lane};
  const std::uint32_t worst = look_at(log);
  if (worst == kNoPlanJob) return calls;
  const Nanoseconds largest = jobs_[worst].excess;
  Nanoseconds isolated{0};
  std::size_t first = 0;
  std::size_t last = 0;
  for (std::size_t i = 1; largest > Nanoseconds{0} && i < log.size(); ++i) {
    if (log[i].job == kNoPlanJob || jobs_[log[i].job].excess * kShares < largest) continue;
    if (first == 0) first = i;
    last = i;
    Job& job = jobs_[log[i].job];
    if (std::exchange(job.counted, true)) continue;
    ++calls.group.jobs;
    calls.group.calls += job.calls;
    calls.group.excess += job.excess;
    if (isolated_[log[i].job]) isolated += job.excess;
    put_first(calls.group, log[i].job);
  }
  const bool alone = largest <= Nanoseconds{0} || largest * 4 >= calls.group.excess * 3;
  const Job& job = jobs_[worst];
  if (alone && (largest <= Nanoseconds{0} || job.longest * 4 >= largest * 3)) {
    calls.group = {};
    calls.job = worst;
    calls.excess = job.longest;
    first = last = job.longest_call;
  } else if (alone) {
    calls.job = worst;
    calls.excess = largest;
    calls.group = {1, job.calls, largest, {worst, Finding::kNoJob, Finding::kNoJob}};
    first = last = 0;
    for (std::size_t i = 1; i < log.size(); ++i) {
      if (log[i].job != worst) continue;
      if (first == 0) first = i;
      last = i;
    }
  } else {
    calls.excess = calls.group.excess;
  }
  calls.isolated = calls.job != kNoPlanJob ? isolated_[calls.job] : isolated * 2 > calls.excess;
  calls.begin = &log[first - 1];
  calls.end = &log[last];
  return calls;
}

LateJobs::Calls LateJobs::longest(std::size_t lane, Log log) const TACTUS_RT {
  Calls calls{.lane = lane};
  std::uint64_t ticks = 0;
  for (std::size_t i = 1; i < log.size(); ++i) {
    const std::uint64_t took = log[i].ticks - log[i - 1].ticks;
    if (log[i].job == kNoPlanJob || (calls.begin != nullptr && took <= ticks)) continue;
    ticks = took;
    calls.begin = &log[i - 1];
    calls.end = &log[i];
    calls.job = log[i].job;
  }
  if (calls.begin == nullptr) return calls;
  calls.excess = clock_.to_time(ticks) - times_[calls.job].median();
  calls.isolated = isolated_[calls.job];
  return calls;
}

}  // namespace tactus::executive
