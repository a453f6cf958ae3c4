// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/count/run_counting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "executive/model/job_class.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

constexpr std::ptrdiff_t kWorthIt = 100;  // jobs: to count fewer takes less than a look of the helper

}  // namespace

bool RunCounting::is_needed(const RunContext& run) {
  const Plan& plan = run.executive->plan();
  const auto jobs = std::count_if(plan.jobs.begin(), plan.jobs.end(),
                                  [](const PlannedJob& job) { return is_cyclic(job.job_class); });
  const bool free_cpu =
      run.realtime ? !(run.cpus.helpers - run.cpus.main).empty() : run.cpus.helpers.count() > 1;
  return plan.job_times && jobs >= kWorthIt && free_cpu;
}

RunCounting::RunCounting(RunContext& run) : run_(run), counter_(run.executive->program()) {
  run_.catch_up_counting = [this] { catch_up(); };
}

void RunCounting::start() {
  thread_ = std::make_unique<rtsync::PinnedThread>(run_.cpus.small_helper("job-times"), [this] { count(); });
}

/// Comes several times before the frames have no page left.
void RunCounting::count() {
  const auto pace = std::clamp<std::chrono::nanoseconds>(
      rtsync::real_period(run_.executive->plan().frame, run_.executive->plan().ratio).floor() * 4, 200us,
      5ms);
  std::unique_lock lock(stopping_);
  while (!stop_) {
    lock.unlock();
    const bool some = counter_.count();
    lock.lock();
    if (!some) stopped_.wait_for(lock, pace, [this] { return stop_; });
  }
}

void RunCounting::stop() {
  {
    const std::lock_guard lock(stopping_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.reset();
}

void RunCounting::ended() {
  stop();
  while (counter_.count()) {
  }
}

void RunCounting::catch_up() const {
  constexpr auto kLongest = 50ms;
  const std::vector<std::uint64_t> passed = counter_.passed();
  const auto until = std::chrono::steady_clock::now() + kLongest;
  while (!counter_.has_counted(passed) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(500us);
}

}  // namespace tactus::executive
