// SPDX-License-Identifier: Apache-2.0
// What does a job cost when the jobs of a frame are spread over two threads, beside all of them on one?
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/frame/worker_pool.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using namespace tactus::rtsync;
using namespace tactus::executive;
using tactus::benchmark::Jobs;

/// Thread-nanoseconds per job: what the frames took, times the threads that had a share of them.
double cost(const Jobs& jobs, std::size_t threads, WaitMode wait, std::int64_t frames) {
  Plan plan = jobs.plan(false);
  for (std::size_t t = 1; t < threads; ++t)
    plan.threads.push_back({"worker" + std::to_string(t), ThreadKind::scheduled, {}, wait});
  const std::size_t share = (plan.jobs.size() + threads - 1) / threads;  // neighbours stay together
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) plan.jobs[i].thread = i / share;
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSync sync({}, plan.frame, clock, sleeper);
  RealtimeVariables variables;
  Executive executive(std::move(plan), sync, sleeper, clock, variables);
  ThreadWorkerPool crew(executive.jobs(), executive.plan());
  executive.jobs().set_workers(crew);
  std::vector<std::thread> workers;
  const std::vector<int> cpus = allowed_cpus().cpus();  // each on its own, as the threads of a rig are
  const auto pin = [&cpus](std::size_t t) { (void)set_affinity(0, CpuSet{cpus[t % cpus.size()]}); };
  pin(0);
  for (std::size_t t = 1; t < threads; ++t)
    workers.emplace_back([&, t] {
      pin(t);
      crew.serve(t);
    });
  executive.run_initialization();
  const std::int64_t begin = tactus::benchmark::now_ns();
  (void)executive.run(frames);
  const auto took = static_cast<double>(tactus::benchmark::now_ns() - begin);
  crew.dismiss();
  for (std::thread& worker : workers) worker.join();
  return took * static_cast<double>(threads) / static_cast<double>(frames) / static_cast<double>(jobs.size());
}

void run(bool quick) {
  for (const std::size_t count : {1'000U, 10'000U}) {
    Jobs jobs;
    for (std::size_t i = 0; i < count; ++i) jobs.add(1);
    const auto frames = static_cast<std::int64_t>(20'000'000 / count);  // the first ones are cold
    const int rounds = quick ? 21 : 101;
    const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
        {
            {"one thread", [&] { return cost(jobs, 1, WaitMode::adaptive, frames); }},
            {"two, adaptive", [&] { return cost(jobs, 2, WaitMode::adaptive, frames); }},
            {"two, spin", [&] { return cost(jobs, 2, WaitMode::spin, frames); }},
        },
        rounds);
    tactus::benchmark::answer("what does a trivial job cost on two threads, beside one?",
                              {{"jobs", count},
                               {"rounds", rounds},
                               {"cpus", std::thread::hardware_concurrency()},
                               {"one_thread_ns_per_job", to_json(turns.of(0))},
                               {"two_threads_adaptive_ns_per_job", to_json(turns.of(1))},
                               {"two_threads_spin_ns_per_job", to_json(turns.of(2))},
                               {"adaptive_ratio", to_json(turns.ratio(1, 0))},
                               {"spin_ratio", to_json(turns.ratio(2, 0))},
                               {"aim_ratio", 1.2}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does a job cost on two threads?", &run);
}
