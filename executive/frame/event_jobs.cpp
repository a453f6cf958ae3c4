// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/event_jobs.hpp"

namespace tactus::executive {

EventJobs::EventJobs(const std::vector<PlannedJob>& jobs) : jobs_(jobs) {
  for (std::uint32_t i = 0; i < jobs.size(); ++i)
    if (jobs[i].job_class == TACTUS_ON_EVENT) all_.emplace_back().job = i;
}

const std::atomic<bool>* EventJobs::flag(std::uint32_t job) const {
  for (const Each& each : all_)
    if (each.job == job) return &each.flag;
  return nullptr;
}

void EventJobs::join(JobSwitches& switches, const std::vector<std::uint64_t>& threads) {
  switches_ = &switches;
  for (Each& each : all_) {
    each.thread = threads[each.job];
    call(each, false);
  }
}

bool EventJobs::ask(std::uint32_t job) TACTUS_RT {
  for (Each& each : all_) {
    if (each.job != job) continue;
    each.asked = 1;
    return true;
  }
  return false;
}

void EventJobs::begin(std::uint64_t threads) TACTUS_RT {
  for (Each& each : all_) {
    if (each.thread != 0 && (each.thread & threads) == 0) continue;
    if ((each.asked != 0) != each.called) call(each, each.asked != 0);
    each.asked = 0;
  }
}

void EventJobs::call(Each& each, bool yes) TACTUS_RT {
  each.called = yes;
  const JobSwitches::Home& home = switches_->home(each.job);
  if (home.schedule != nullptr)
    home.schedule->leave_out(home.scheduled, !yes);
  else
    each.flag.store(yes && switches_->flag(each.job)->load(std::memory_order_relaxed),
                    std::memory_order_relaxed);
}

void EventJobs::add_state(std::vector<Piece>& pieces) {
  for (Each& each : all_) pieces.push_back(own_piece("@asked." + jobs_[each.job].name, each.asked));
}

void EventJobs::load_state() TACTUS_RT {
  for (Each& each : all_) call(each, false);
}

}  // namespace tactus::executive
