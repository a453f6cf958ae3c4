// SPDX-License-Identifier: Apache-2.0
// What does a frame cost the CPU with everything on by default, also behind its jobs, beside the least that can be?
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <tactus/model.hpp>
#include <utility>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/model/finite.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/recorder.hpp"
#include "tests/benchmark/trick_sim.hpp"

namespace {

using namespace tactus::rtsync;
using tactus::executive::ModelInstance;

constexpr std::size_t kOutputs = 9;

/// Goes through memory of its own, as a model of that size does: `Bytes` of it in each step.
template <std::size_t Bytes>
class State {
 public:
  void pass() {
    for (std::size_t i = 0; i < words_.size(); i += 8) words_[i] += 1;
  }

 private:
  std::array<std::uint64_t, std::max<std::size_t>(1, Bytes / sizeof(std::uint64_t))> words_{};
};

template <std::size_t Bytes>
class Empty : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override { d.job<&Empty::step>("step", tactus::JobClass::scheduled); }
  void step() { state_.pass(); }

 private:
  State<Bytes> state_;
};

/// Nine outputs, one of which moves.
template <std::size_t Bytes>
class Nine : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.output("out", out_, "1");
    d.template job<&Nine::step>("step", tactus::JobClass::scheduled);
  }
  void step() {
    state_.pass();
    out_[0] += 1;
  }

 private:
  std::array<double, kOutputs> out_{};
  State<Bytes> state_;
};

using Empty0 = Empty<0>;
using Empty200 = Empty<200>;
using Empty4096 = Empty<4096>;
using Nine0 = Nine<0>;
using Nine200 = Nine<200>;
using Nine4096 = Nine<4096>;

TACTUS_MODEL("empty", Empty0, "no output")
TACTUS_MODEL("empty200", Empty200, "200 bytes of state")
TACTUS_MODEL("empty4096", Empty4096, "4 KB of state")
TACTUS_MODEL("nine", Nine0, "nine outputs")
TACTUS_MODEL("nine200", Nine200, "nine outputs, 200 bytes of state")
TACTUS_MODEL("nine4096", Nine4096, "nine outputs, 4 KB of state")

struct Call {
  tactus_job_function run;
  void* self;
  const std::byte* outputs;
  std::uint64_t count;  // of the outputs
};

struct Subject {
  Subject(const char* model, std::size_t count) {
    std::uint32_t models = 0;
    const tactus_model* const* const all = tactus_models(&models);
    const tactus_model* const* const found = std::find_if(
        all, all + models, [model](const tactus_model* each) { return std::strcmp(each->name, model) == 0; });
    plan.frame = Period{1'000'000, 1};
    plan.job_times = plan.nan_guard = plan.range_guard = true;
    for (std::size_t i = 0; i < count; ++i) {
      ModelInstance& made = instances.emplace_back(**found, model + std::to_string(i));
      tactus::executive::PlannedJob job;
      job.name = made.name() + ".step";
      job.model = &made;
      job.run = made.jobs().front().run;
      job.self = made.self();
      job.cycle = plan.frame;
      const auto* const out = made.find_variable("out");
      calls.push_back({job.run, job.self, out == nullptr ? nullptr : static_cast<const std::byte*>(out->data),
                       out == nullptr ? 0 : kOutputs});
      plan.jobs.push_back(std::move(job));
    }
  }
  std::deque<ModelInstance> instances;
  std::vector<Call> calls;
  tactus::executive::Plan plan;
};

/// CPU time of the thread at the beginning of two frames: what lies between is all that the frames cost it.
struct Marks {
  std::int64_t first = 0, last = 0;
  std::int64_t first_ns = 0, last_ns = 0;

  static int look(void* self, const tactus_call* call) {
    Marks& marks = *static_cast<Marks*>(self);
    if (call->frame == marks.first) marks.first_ns = tactus::benchmark::cpu_ns();
    if (call->frame == marks.last) marks.last_ns = tactus::benchmark::cpu_ns();
    return 0;
  }
  double frame_ns() const {
    return static_cast<double>(last_ns - first_ns) / static_cast<double>(last - first);
  }
};

struct Frame {
  double cpu_ns = 0;  ///< of the thread
  double work_ns = 0, behind_ns = 0;
};

/// A rig with the flight recorder, as rigs have it, and not in real time: its frames follow each other at once.
Frame measure(const Subject& subject, std::int64_t frames) {
  MonotonicClock clock;
  NanosleepSleeper sleeper(clock);
  RealtimeSync sync({}, subject.plan.frame, clock, sleeper);
  tactus::executive::RealtimeVariables variables;
  tactus::executive::Plan plan = subject.plan;
  Marks marks{frames / 5, frames - 1};
  tactus::executive::PlannedJob look;
  look.name = "look";
  look.run = &Marks::look;
  look.self = &marks;
  look.cycle = plan.frame;
  plan.jobs.insert(plan.jobs.begin(), look);
  tactus::benchmark::Recorder recorder(plan.jobs.size());
  tactus::executive::Executive executive(std::move(plan), sync, sleeper, clock, variables);
  recorder(executive);
  executive.run_initialization();
  (void)executive.run(frames);
  const auto& times = executive.statistics();
  return {marks.frame_ns(), static_cast<double>(times.work.quantile(0.5).count()),
          static_cast<double>(times.behind.quantile(0.5).count())};
}

/// A call, a reading of the counter, a look at the outputs and a record for each job.
double least_ns(const Subject& subject, std::int64_t frames) {
  struct Record {
    std::uint64_t ticks;
    std::size_t job;
  };
  std::vector<Record> records(subject.calls.size());
  const tactus_call call{0, 0, 1e-3};
  std::int64_t begin = 0;
  bool good = true;
  for (std::int64_t k = 0; k < frames; ++k) {
    if (k == frames / 5) begin = tactus::benchmark::cpu_ns();
    for (std::size_t i = 0; i < subject.calls.size(); ++i) {
      const Call& each = subject.calls[i];
      good = each.run(each.self, &call) == 0 && good;
      records[i] = {read_tsc(), i};
      good = tactus::executive::all_finite(each.outputs, each.count) && good;
    }
    tactus::benchmark::keep(good);
  }
  return static_cast<double>(tactus::benchmark::cpu_ns() - begin) / static_cast<double>(frames - frames / 5);
}

void ask(const char* model, std::size_t jobs, int rounds, const tactus::benchmark::TrickSim* trick) {
  const Subject subject(model, jobs);
  const std::int64_t frames = jobs == 0 ? 20'000 : 1'200;
  std::vector<double> work;
  std::vector<double> behind;
  const auto rig = [&] {
    const Frame frame = measure(subject, frames);
    work.push_back(frame.work_ns);
    behind.push_back(frame.behind_ns);
    return frame.cpu_ns;
  };
  std::vector<tactus::benchmark::Contender> contenders{{"rig", rig},
                                                       {"least", [&] { return least_ns(subject, frames); }}};
  if (trick != nullptr)
    contenders.push_back({"Trick", [&] { return trick->jobs_frame_ns(model, jobs, frames * 2); }});
  const tactus::benchmark::Turns turns = tactus::benchmark::take_turns(contenders, rounds);
  tactus::benchmark::Json figures{{"model", model},
                                  {"jobs", jobs},
                                  {"rounds", rounds},
                                  {"whole_frame_ns", to_json(turns.of(0))},
                                  {"work_ns", to_json(tactus::benchmark::spread_of(work))},
                                  {"behind_ns", to_json(tactus::benchmark::spread_of(behind))},
                                  {"least_ns", to_json(turns.of(1))},
                                  {"times_the_least", to_json(turns.ratio(0, 1))}};
  if (trick != nullptr) {
    figures["trick"] = trick->version();
    figures["trick_ns"] = to_json(turns.of(2));
    figures["times_trick"] = to_json(turns.ratio(0, 2));
  }
  tactus::benchmark::answer("what does a whole frame cost its thread with all defaults?", figures);
}

void run(bool quick) {
  using tactus::benchmark::TrickSim;
  tactus::benchmark::stay_on_last_cpu();
  const int rounds = quick ? 5 : 25;
  std::optional<TrickSim> trick;
  if (!TrickSim::home().empty()) trick.emplace();
  const TrickSim* const peer = trick ? &*trick : nullptr;
  ask("empty", 0, rounds, peer);
  for (const char* const model : {"empty", "nine"}) ask(model, 1000, rounds, peer);
  for (const char* const model : {"empty200", "empty4096", "nine200", "nine4096"})
    ask(model, 1000, rounds, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  return tactus::benchmark::run_benchmark(
      argc, argv, "What does a whole frame cost its thread with everything on by default?", &run);
}
