// SPDX-License-Identifier: Apache-2.0
// What does a job cost with everything that a rig file has on by default: job times, the guard of finite values,
// wires?
#include <algorithm>
#include <deque>
#include <tactus/model.hpp>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::executive::Connection;
using tactus::executive::ModelInstance;
using tactus::executive::VariableRef;

constexpr int kOutputs = 9;

/// Nine outputs, one of which moves, and an input.
class Nine : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.input("in", in_, "1");
    d.output("out", out_, "1");
    d.job<&Nine::step>("step", tactus::JobClass::scheduled);
  }
  void step() { out_[0] += 1 + in_; }

 private:
  double in_ = 0;
  std::array<double, kOutputs> out_{};
};
TACTUS_MODEL("nine", Nine, "nine outputs")

struct Subject {
  std::deque<ModelInstance> models;
  tactus::executive::Plan plan;
};

/// Each model's input is wired from the model before it.
void make(Subject& subject, std::size_t count, bool wired) {
  std::uint32_t models = 0;
  const tactus_model& nine = **tactus_models(&models);
  subject.plan.frame = Period{1'000'000, 1};
  for (std::size_t i = 0; i < count; ++i) {
    ModelInstance& made = subject.models.emplace_back(nine, "nine" + std::to_string(i));
    tactus::executive::PlannedJob job;
    job.name = made.name() + ".step";
    job.model = &made;
    job.run = made.jobs().front().run;
    job.self = made.self();
    job.cycle = subject.plan.frame;
    subject.plan.jobs.push_back(std::move(job));
    if (!wired || i == 0) continue;
    const ModelInstance& before = subject.models[i - 1];
    subject.plan.connections.push_back(
        Connection{VariableRef{before.find_variable("out"), 1, 1, true, &before},
                   VariableRef{made.find_variable("in"), 0, 1, false, &made},
                   false,
                   {},
                   {}});
  }
}

enum class With { nothing, guard, everything };

/// Of one job: the work of a frame as a rig reports it, from its wake to its end, without what is done in the
/// slack. The frames are so short that they are always late: nothing waits.
double work_ns(const Subject& subject, With with, std::int64_t frames) {
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSettings settings;
  settings.enabled = true;
  settings.overrun.grace = frames;
  tactus::executive::Plan plan = subject.plan;
  plan.nan_guard = plan.range_guard = with != With::nothing;
  plan.job_times = with == With::everything;
  RealtimeSync sync(settings, Period{1'000, 1}, clock, sleeper);
  tactus::executive::RealtimeVariables variables;
  tactus::executive::Executive executive(std::move(plan), sync, sleeper, clock, variables);
  executive.run_initialization();
  (void)executive.run(frames);
  return static_cast<double>(executive.statistics().work.quantile(0.5).count()) /
         static_cast<double>(subject.models.size());
}

double bare_ns(Subject& subject, std::int64_t times) {
  const tactus_call call{0, 0, 1e-3};
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (std::int64_t i = 0; i < times; ++i)
    for (const auto& job : subject.plan.jobs) (void)job.run(job.self, &call);
  return static_cast<double>(tactus::benchmark::now_ns() - begin) /
         static_cast<double>(times * static_cast<std::int64_t>(subject.models.size()));
}

double counter_ns() {
  constexpr int kTimes = 2'000;
  const std::int64_t begin = tactus::benchmark::now_ns();
  for (int i = 0; i < kTimes; ++i) {
    std::uint64_t last = read_tsc();
    tactus::benchmark::keep(last);
  }
  return static_cast<double>(tactus::benchmark::now_ns() - begin) / kTimes;
}

void run(bool quick) {
  tactus::benchmark::stay_on_last_cpu();
  for (const std::size_t count : {1'000U, 10'000U}) {
    for (const bool wired : {false, true}) {
      Subject subject;
      make(subject, count, wired);
      const std::int64_t frames = std::max<std::int64_t>(30, 100'000 / static_cast<std::int64_t>(count));
      const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(
          {
              {"bare loop", [&] { return bare_ns(subject, frames); }},
              {"work", [&] { return work_ns(subject, With::nothing, frames); }},
              {"work with the guard", [&] { return work_ns(subject, With::guard, frames); }},
              {"work with everything", [&] { return work_ns(subject, With::everything, frames); }},
              {"counter", [] { return counter_ns(); }},
          },
          quick ? 5 : 25);
      tactus::benchmark::answer("what does a job with nine outputs cost by default?",
                                {{"jobs", count},
                                 {"wired", wired},
                                 {"bare_loop_ns", to_json(turns.of(0))},
                                 {"work_ns", to_json(turns.of(1))},
                                 {"with_guard_ns", to_json(turns.of(2))},
                                 {"with_everything_ns", to_json(turns.of(3))},
                                 {"counter_read_ns", to_json(turns.of(4))},
                                 {"aim_with_everything_ns", 12}});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(argc, argv, "What does a job cost with everything on by default?",
                                          &run);
}
