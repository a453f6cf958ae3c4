// SPDX-License-Identifier: Apache-2.0
// What does it cost to look after each job whether it changed how its thread computes?
#include <cstdint>
#include <string>
#include <vector>

#include "rtsync/clock/clock.hpp"
#include "rtsync/thread/float_environment.hpp"
#include "tests/benchmark/benchmark.hpp"

namespace {

using tactus::benchmark::Contender;
using tactus::benchmark::Json;
using tactus::benchmark::keep;
using tactus::benchmark::to_json;
using tactus::rtsync::FloatEnvironment;

constexpr int kCalls = 20'000;

struct Job {
  double in = 1.5, out = 0;
};

/// What a small job does: a filter of one pole.
[[gnu::noinline]] int step(void* self, const void*) {
  Job& job = *static_cast<Job*>(self);
  job.out += 0.01 * (job.in - job.out);
  return 0;
}

/// As a lane calls jobs, one after the other. `look`: with the comparison behind each; `measure`: with the clock read
/// that ends a job, as they are unless the rig file says `job_times: no`.
template <bool look, bool measure>
double ns_per_call() {
  std::vector<Job> jobs(16);
  int (*run)(void*, const void*) = &step;
  keep(run);
  const FloatEnvironment before = FloatEnvironment::of_this_thread();
  std::int64_t changed = 0;
  std::uint64_t ticks = 0;
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (int i = 0; i < kCalls; ++i) {
    (void)run(&jobs[static_cast<std::size_t>(i) % jobs.size()], nullptr);
    if constexpr (measure) ticks += tactus::rtsync::read_tsc();
    if constexpr (look)
      if (!before.is_current()) [[unlikely]]
        ++changed;
  }
  const double took = static_cast<double>(tactus::benchmark::now_ns() - begin) / kCalls;
  keep(changed);
  keep(ticks);
  return took;
}

void run(bool quick) {
  (void)tactus::benchmark::stay_on_last_cpu();
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {Contender{"job", &ns_per_call<false, true>}, Contender{"job, comparison", &ns_per_call<true, true>},
       Contender{"job without clock", &ns_per_call<false, false>},
       Contender{"job without clock, comparison", &ns_per_call<true, false>}},
      quick ? 50 : 1000);
  tactus::benchmark::answer(
      "what does it cost to compare the floating-point environment after each job? (at most 1 ns)",
      Json{{"job_ns", to_json(turns.of(0))},
           {"job_and_comparison_ns", to_json(turns.of(1))},
           {"comparison_ns", to_json(turns.difference(1, 0))},
           {"ratio", to_json(turns.ratio(1, 0))},
           {"comparison_without_job_times_ns", to_json(turns.difference(3, 2))}});
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "compares the floating-point environment after jobs",
                                          &run);
}
