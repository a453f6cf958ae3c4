// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/job_switches.hpp"

#include <algorithm>
#include <utility>

namespace tactus::executive {

JobSwitches::JobSwitches(const std::vector<PlannedJob>& jobs, std::vector<std::size_t> thread_of,
                         const std::vector<AsyncWorker*>& async_workers)
    : jobs_(jobs),
      thread_of_(std::move(thread_of)),
      async_workers_(async_workers),
      homes_(jobs.size()),
      on_(std::make_unique<std::atomic<bool>[]>(std::max<std::size_t>(jobs.size(), 1))),
      wanted_(std::make_unique<std::atomic<std::uint8_t>[]>(std::max<std::size_t>(jobs.size(), 1))),
      on_saved_(jobs.size(), 1),
      next_saved_(jobs.size(), Schedule::kFirst) {
  for (std::size_t i = 0; i < jobs.size(); ++i) on_[i].store(jobs[i].enabled, std::memory_order_relaxed);
}

bool JobSwitches::enable(std::uint32_t job, bool on, std::size_t by) TACTUS_RT {
  const bool of_another = by != thread_of_[job];
  AsyncWorker* const caller = by == kOutside ? nullptr : async_workers_[by];
  if (caller != nullptr && of_another) {
    if (caller->switch_count == caller->switches.size()) return false;
    caller->switches[caller->switch_count++] = {job, on};
  } else if (is_async(job) && of_another) {
    want(job, on);
  } else {
    turn(job, on);
  }
  return true;
}

void JobSwitches::turn(std::uint32_t job, bool on) TACTUS_RT {
  const Home& home = homes_[job];
  on_[job].store(on, std::memory_order_relaxed);
  if (home.schedule != nullptr) home.schedule->enable(home.scheduled, on);
}

void JobSwitches::post(AsyncWorker& from) TACTUS_RT {
  for (std::size_t i = 0; i < from.switch_count; ++i) {
    const AsyncWorker::Switch& s = from.switches[i];
    is_async(s.job) ? want(s.job, s.on) : turn(s.job, s.on);
  }
  from.switch_count = 0;
}

void JobSwitches::take(const AsyncWorker& worker) TACTUS_RT {
  for (const std::uint32_t job : worker.jobs) {
    if (wanted_[job].load(std::memory_order_relaxed) == kAsItIs) continue;
    turn(job, wanted_[job].exchange(kAsItIs, std::memory_order_relaxed) == kOn);
  }
}

bool JobSwitches::call_at(std::uint32_t job, std::int64_t sim_time_ns) TACTUS_RT {
  const Home& home = homes_[job];
  return home.schedule != nullptr && home.schedule->call_at(home.scheduled, sim_time_ns);
}

void JobSwitches::add_state(std::vector<Piece>& pieces) {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const PlannedJob& job = jobs_[i];
    if (job.recording) continue;  // another run may record something else
    pieces.push_back(own_piece("@on." + job.name, on_saved_[i]));
    if (job.dynamic) pieces.push_back(own_piece("@next." + job.name, next_saved_[i], "ns"));
  }
}

void JobSwitches::save_state() TACTUS_RT {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const std::uint8_t wanted = wanted_[i].load(std::memory_order_relaxed);
    on_saved_[i] = wanted != kAsItIs ? wanted == kOn : on_[i].load(std::memory_order_relaxed);
    const Home& home = homes_[i];
    if (jobs_[i].dynamic && home.schedule != nullptr) next_saved_[i] = home.schedule->next_of(home.scheduled);
  }
}

void JobSwitches::load_state() TACTUS_RT {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const Home& home = homes_[i];
    on_[i].store(on_saved_[i] != 0, std::memory_order_relaxed);
    wanted_[i].store(kAsItIs, std::memory_order_relaxed);
    if (home.schedule == nullptr) continue;
    home.schedule->enable(home.scheduled, on_saved_[i] != 0);
    if (jobs_[i].dynamic) home.schedule->set_next_of(home.scheduled, next_saved_[i]);
  }
}

}  // namespace tactus::executive
