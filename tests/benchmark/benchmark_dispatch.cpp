// SPDX-License-Identifier: Apache-2.0
// What does the executive add to the call of a job, beside a bare loop of indirect calls?
#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <tactus/model.hpp>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/frame/executive.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/stand.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::benchmark::Jobs;
using tactus::benchmark::Stand;

/// The same as a model in C++: its job goes through the trampoline that TACTUS_MODEL makes.
class Tick : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.state("runs", runs_);
    d.job<&Tick::step>("step", tactus::JobClass::scheduled);
  }
  void step() { ++runs_; }

 private:
  alignas(64) std::int64_t runs_ = 0;
};
TACTUS_MODEL("tick", Tick, "counts its calls")

struct Bare {
  tactus_job_function run;
  void* self;
};

double run_bare(const std::vector<Bare>& jobs, std::int64_t warm, std::int64_t times) {
  const tactus_call call{0, 0, 1e-3};
  const auto once = [&] {
    for (const Bare& job : jobs) (void)job.run(job.self, &call);
  };
  for (std::int64_t i = 0; i < warm; ++i) once();
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (std::int64_t i = 0; i < times; ++i) once();
  return static_cast<double>(tactus::benchmark::now_ns() - begin);
}

/// Cost of one read of the counter, and of CLOCK_MONOTONIC: the figures that per-job times are judged by.
double read_counter(int times) {
  std::uint64_t last = 0;
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (int i = 0; i < times; ++i) {
    last = read_tsc();
    tactus::benchmark::keep(last);
  }
  return static_cast<double>(tactus::benchmark::now_ns() - begin) / times;
}

double read_clock(int times) {
  std::int64_t last = 0;
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (int i = 0; i < times; ++i) {
    last = tactus::benchmark::now_ns();
    tactus::benchmark::keep(last);
  }
  return static_cast<double>(tactus::benchmark::now_ns() - begin) / times;
}

struct Subject {
  const char* kind;
  std::vector<Bare> bare;
  std::vector<const std::int64_t*> counters;
  Jobs jobs;

  std::int64_t runs() const {
    return std::accumulate(counters.begin(), counters.end(), std::int64_t{0},
                           [](std::int64_t sum, const std::int64_t* counter) { return sum + *counter; });
  }
};

void compare(const Subject& subject, int rounds) {
  const auto count = static_cast<double>(subject.bare.size());
  // Short turns, some 100 us: on a busy machine most of them are then not interrupted.
  const std::int64_t frames = std::max<std::int64_t>(2, 20'000 / static_cast<std::int64_t>(count));
  const std::int64_t timed_frames = std::max<std::int64_t>(1, frames / 4);
  const std::int64_t warm = std::max<std::int64_t>(1, frames / 8);
  Stand empty(Jobs{}.plan(false));
  Stand untimed(subject.jobs.plan(false));
  Stand timed(subject.jobs.plan(true));
  const double calls = static_cast<double>(frames) * count;
  const double timed_calls = static_cast<double>(timed_frames) * count;
  std::int64_t bare_loops = 0;
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {
          {"bare loop",
           [&] {
             bare_loops += warm + frames;
             return run_bare(subject.bare, warm, frames) / calls;
           }},
          {"frame", [&] { return untimed.frames(warm, frames) / calls; }},
          {"frame with job times", [&] { return timed.frames(warm, timed_frames) / timed_calls; }},
          // Per job, too: what each job's share of the frame without jobs is.
          {"frame without jobs", [&] { return empty.frames(warm, frames) / calls; }},
          {"counter", [] { return read_counter(2'000); }},
          {"CLOCK_MONOTONIC", [] { return read_clock(1'000); }},
      },
      rounds);
  const std::int64_t rounds_of_jobs = bare_loops + untimed.frames_run() + timed.frames_run();
  const bool every_job_ran =
      subject.runs() == rounds_of_jobs * static_cast<std::int64_t>(subject.bare.size());
  std::vector<double> less_empty;  // the frame without its fixed cost, which has a benchmark of its own
  std::vector<double> less_empty_ratio;
  std::vector<double> reads;
  for (std::size_t r = 0; r < turns.figures[0].size(); ++r) {
    less_empty.push_back(turns.figures[1][r] - turns.figures[3][r]);
    less_empty_ratio.push_back(less_empty.back() / turns.figures[0][r]);
    reads.push_back((turns.figures[2][r] - turns.figures[1][r]) / turns.figures[4][r]);
  }
  tactus::benchmark::answer(
      std::string("what does the executive add to the call of a trivial job (") + subject.kind + ")?",
      {{"jobs", subject.bare.size()},
       {"rounds", rounds},
       {"bare_loop_ns_per_job", to_json(turns.of(0))},
       {"frame_ns_per_job", to_json(turns.of(1))},
       {"frame_less_empty_frame_ns_per_job", to_json(tactus::benchmark::spread_of(less_empty))},
       {"frame_to_bare_loop_ratio", to_json(turns.ratio(1, 0))},
       {"frame_less_empty_frame_to_bare_loop_ratio", to_json(tactus::benchmark::spread_of(less_empty_ratio))},
       {"aim_frame_less_empty_frame_ratio", 1.5},
       {"frame_with_job_times_ns_per_job", to_json(turns.of(2))},
       {"job_times_add_ns_per_job", to_json(turns.difference(2, 1))},
       {"counter_read_ns", to_json(turns.of(4))},
       {"clock_gettime_read_ns", to_json(turns.of(5))},
       {"job_times_add_counter_reads", to_json(tactus::benchmark::spread_of(reads))},
       {"every_job_ran", every_job_ran}});
}

/// The work of a frame as a rig reports it: from its wake to its end, without what is done in the slack. The
/// frames are paced, but so short that they are always late: nothing waits.
double work_ns(const Jobs& jobs, bool job_times, std::int64_t frames) {
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSettings settings;
  settings.enabled = true;
  settings.overrun.grace = frames;
  tactus::executive::Plan plan = jobs.plan(job_times);
  RealtimeSync sync(settings, Period{1'000, 1}, clock, sleeper);
  tactus::executive::RealtimeVariables variables;
  tactus::executive::Executive executive(std::move(plan), sync, sleeper, clock, variables);
  executive.run_initialization();
  (void)executive.run(frames);
  return static_cast<double>(executive.statistics().work.quantile(0.5).count());
}

void ask_work(const Subject& subject, int rounds) {
  const auto count = static_cast<double>(subject.bare.size());
  const std::int64_t frames = std::max<std::int64_t>(30, 100'000 / static_cast<std::int64_t>(count));
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
      {
          {"work", [&] { return work_ns(subject.jobs, false, frames) / count; }},
          {"work with job times", [&] { return work_ns(subject.jobs, true, frames) / count; }},
          {"counter", [] { return read_counter(2'000); }},
      },
      rounds);
  std::vector<double> reads;
  for (std::size_t r = 0; r < turns.figures[0].size(); ++r)
    reads.push_back((turns.figures[1][r] - turns.figures[0][r]) / turns.figures[2][r]);
  tactus::benchmark::answer("how much longer do job times make the work of a frame, its slack aside?",
                            {{"jobs", subject.bare.size()},
                             {"rounds", rounds},
                             {"frames", frames},
                             {"work_ns_per_job", to_json(turns.of(0))},
                             {"work_with_job_times_ns_per_job", to_json(turns.of(1))},
                             {"job_times_add_ns_per_job", to_json(turns.difference(1, 0))},
                             {"counter_read_ns", to_json(turns.of(2))},
                             {"job_times_add_counter_reads", to_json(tactus::benchmark::spread_of(reads))},
                             {"aim_counter_reads", 1}});
}

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  std::uint32_t models = 0;
  const tactus_model& tick = **tactus_models(&models);
  for (const std::size_t count : {10U, 100U, 1'000U, 10'000U}) {
    const int rounds = quick ? 21 : 301;
    {
      std::deque<tactus::benchmark::Counter> counters(count);
      Subject subject{"a function and a pointer", {}, {}, {}};
      for (auto& counter : counters) {
        subject.bare.push_back({&tactus::benchmark::count_up, &counter});
        subject.counters.push_back(&counter.runs);
        subject.jobs.add(&tactus::benchmark::count_up, &counter);
      }
      compare(subject, rounds);
      ask_work(subject, quick ? 3 : 15);
    }
    std::deque<tactus::executive::ModelInstance> instances;
    Subject subject{"a model in C++", {}, {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const auto& instance = instances.emplace_back(tick, "tick" + std::to_string(i));
      subject.bare.push_back({instance.jobs().front().run, instance.self()});
      subject.counters.push_back(static_cast<const std::int64_t*>(instance.find_variable("runs")->data));
      subject.jobs.add(instance.jobs().front().run, instance.self());
    }
    compare(subject, rounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does the executive add to the call of a job?",
                                          &run);
}
