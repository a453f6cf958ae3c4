// SPDX-License-Identifier: Apache-2.0
// What do 1000 stimuli or 1000 faults add to a frame, against a bare loop that does the same arithmetic on the same memory in
// the same frame? The loop is a part of its frame, so that both find the memory as the frame has left it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <tactus/model.hpp>
#include <utility>
#include <vector>

#include "executive/capability/fault/fault_part.hpp"
#include "executive/capability/stimulus/stimulus_part.hpp"
#include "executive/model/model_instance.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/judge_cases.hpp"
#include "tests/benchmark/stand.hpp"

namespace tactus::benchmark {
namespace {

using namespace tactus::executive;

constexpr std::size_t kMany = 1000;
constexpr double kSecondsOfFrame = 1e-3;

/// Places of the 1000 variables that faults and stimuli are on.
enum class Where : std::uint8_t {
  array,   ///< elements of one array: neighbours
  apart,   ///< variables of one model, each beside something else
  models,  ///< one variable in each of 1000 models
};

/// 1000 inputs and 1000 outputs, and a job that leaves them alone.
class Many : public Model {
 public:
  void declare(Declare& d) override {
    d.input("in", in_);
    d.output("out", out_);
    d.job<&Many::step>("step", JobClass::scheduled);
  }
  void step() {}

 private:
  std::array<double, kMany> in_{}, out_{};
};
TACTUS_MODEL("judged_many", Many, "inputs and outputs of benchmark_judge")

/// The same, as variables of their own.
class Apart : public Model {
 public:
  void declare(Declare& d) override {
    for (std::size_t i = 0; i < kMany; ++i) {
      d.input(("in" + std::to_string(i)).c_str(), pairs_[i].in);
      d.output(("out" + std::to_string(i)).c_str(), pairs_[i].out);
    }
    d.job<&Apart::step>("step", JobClass::scheduled);
  }
  void step() {}

 private:
  struct Pair {
    double in = 0, out = 0;
  };
  std::array<Pair, kMany> pairs_{};
};
TACTUS_MODEL("judged_apart", Apart, "inputs and outputs of benchmark_judge, not in arrays")

/// One input and one output.
class One : public Model {
 public:
  void declare(Declare& d) override {
    d.input("in", in_);
    d.output("out", out_);
    d.job<&One::step>("step", JobClass::scheduled);
  }
  void step() {}

 private:
  double in_ = 0, out_ = 0;
};
TACTUS_MODEL("judged_one", One, "an input and an output of benchmark_judge")

/// A rig of such models alone, on a stand.
class Bench {
 public:
  using Add = std::function<void(Executive&)>;

  Bench(Where where, bool overlaid) : where_(where) {
    const tactus_model& kind = find(where == Where::array   ? "judged_many"
                                    : where == Where::apart ? "judged_apart"
                                                            : "judged_one");
    for (std::size_t i = 0; i < (where == Where::models ? kMany : 1); ++i) {
      ModelInstance& model = models_.emplace_back(kind, "m" + std::to_string(i));
      PlannedJob job;
      job.name = "m" + std::to_string(i) + ".step";
      job.model = &model;
      job.run = model.jobs().front().run;
      job.self = model.self();
      job.cycle = rtsync::Period{Jobs::kFrameNs, 1};
      plan_.frame = job.cycle;
      plan_.jobs.push_back(std::move(job));
      if (overlaid) plan_.overlaid.insert(&model);
    }
    plan_.job_times = false;
  }
  /// The nth input or output; `name`: "in", "out".
  VariableRef element(const std::string& name, std::size_t index) const {
    const ModelInstance& model = models_[where_ == Where::models ? index : 0];
    if (where_ == Where::array)
      return {model.find_variable(name), static_cast<std::uint32_t>(index), 1, true, &model};
    return {model.find_variable(where_ == Where::apart ? name + std::to_string(index) : name), 0, 1, false,
            &model};
  }
  double* data(const std::string& name, std::size_t index) const {
    const VariableRef ref = element(name, index);
    return static_cast<double*>(ref.variable->data) + ref.first;
  }
  void build(const Add& add) { stand_.emplace(plan_, add); }
  double frame_ns(std::int64_t frames) {
    const std::int64_t begin = process_cpu_ns();  // the machine may do other work in between
    const std::int64_t first = stand_->frames_run();
    (void)stand_->frames(1, frames - 1);
    return static_cast<double>(process_cpu_ns() - begin) / static_cast<double>(stand_->frames_run() - first);
  }

 private:
  static const tactus_model& find(const std::string& name) {
    std::uint32_t count = 0;
    const tactus_model* const* const all = tactus_models(&count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (name == all[i]->name) return *all[i];
    throw std::logic_error("no model " + name);
  }
  const Where where_;
  std::deque<ModelInstance> models_;
  Plan plan_;
  std::optional<Stand> stand_;
};

/// What somebody would write by hand: a place in memory, and what is to be done there.
struct Bare {
  double* at;
  double a, b, c, d;
};
/// Does frame n of all.
using BareLoop = std::function<void(std::vector<Bare>&, std::int64_t n)>;

template <class Of>
BareLoop loop_of(Of of) {
  return [of](std::vector<Bare>& all, std::int64_t n) {
    for (Bare& each : all) *each.at = of(each, n);
  };
}

/// Does that loop once a frame, where faults and stimuli have their turn.
class BarePart final : public FramePart {
 public:
  BarePart(const BareLoop& loop, std::vector<Bare> all)
      : FramePart("bare"), loop_(loop), all_(std::move(all)) {}
  void joined(FrameServices&) override {}
  void rate_transition(std::int64_t k, std::uint64_t) TACTUS_RT override { loop_(all_, 1 + k % 100'000); }

 private:
  const BareLoop& loop_;
  std::vector<Bare> all_;
};

std::vector<CompiledFault> faults_of(const Bench& bench, FaultKind kind, double a, double b) {
  std::vector<CompiledFault> faults(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    CompiledFault& fault = faults[i];
    fault.name = "f" + std::to_string(i);
    fault.kind = kind;
    fault.target = "m.out";
    fault.refs = {bench.element("out", i)};
    fault.a = a;
    fault.b = b;
    fault.bits = 1;
    fault.frame = 0;
    fault.random = CounterRandom(i);
  }
  return faults;
}

std::vector<CompiledStimulus> stimuli_of(const Bench& bench, const StimulusSegment& segment) {
  std::vector<CompiledStimulus> stimuli(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    CompiledStimulus& stimulus = stimuli[i];
    stimulus.name = "s" + std::to_string(i);
    stimulus.ref = bench.element("in", i);
    stimulus.segments = {segment};
    stimulus.segments[0].random = CounterRandom(i);
    stimulus.segments[0].phase = 1e-3 * static_cast<double>(i);
  }
  return stimuli;
}

/// Finds the parameters of the nth place: those that the nth fault or stimulus has, too.
using ParametersOf = std::function<Bare(std::size_t)>;

/// Measures a bench with its part, one without, and one with the loop; in turns.
void ask(const char* kind, const std::string& word, Where where, Bench& with, const BareLoop& loop,
         const char* on, const ParametersOf& parameters, bool quick) {
  Bench without(where, false), by_hand(where, false);
  without.build({});
  std::vector<Bare> bare;
  for (std::size_t i = 0; i < kMany; ++i) {
    bare.push_back(parameters(i));
    bare.back().at = by_hand.data(on, i);
  }
  BarePart part(loop, std::move(bare));
  by_hand.build([&](Executive& executive) { executive.add(part); });
  const std::int64_t frames = quick ? 200 : 1000;
  const Turns turns = take_turns({{"with", [&] { return with.frame_ns(frames); }},
                                  {"without", [&] { return without.frame_ns(frames); }},
                                  {"bare loop", [&] { return by_hand.frame_ns(frames); }}},
                                 quick ? 5 : 25);
  std::vector<double> each, least, ratio;
  for (std::size_t i = 0; i < turns.figures[0].size(); ++i) {
    const double ours = turns.figures[0][i] - turns.figures[1][i];
    const double theirs = std::max(1.0, turns.figures[2][i] - turns.figures[1][i]);
    each.push_back(ours / kMany);
    least.push_back(theirs / kMany);
    ratio.push_back(ours / theirs);
  }
  answer(std::string("what does a ") + kind + " add to a frame?",
         {{"kind", word + (where == Where::array   ? ""
                           : where == Where::apart ? ", apart"
                                                   : ", 1000 models")},
          {"number", kMany},
          {"frame_without_ns", to_json(turns.of(1))},
          {"each_ns", to_json(spread_of(each))},
          {"bare_loop_ns", to_json(spread_of(least))},
          {"to_bare_loop", to_json(spread_of(ratio))},
          {"goal_to_bare_loop", 2}});
}

void measure_faults(bool quick) {
  struct Row {
    const char* word;
    FaultKind kind;
    double a, b;
    BareLoop bare;
  };
  const double step = 0.25;
  const Row rows[] = {
      {"offset", FaultKind::offset, 1, 5, loop_of([](const Bare& x, auto) { return *x.at * x.a + x.b; })},
      {"gain", FaultKind::gain, 1.000001, 0, loop_of([](const Bare& x, auto) { return *x.at * x.a + x.b; })},
      {"stuck", FaultKind::stuck, 0, 0, loop_of([](const Bare& x, auto) { return x.b; })},
      {"limit", FaultKind::limit, -1, 1, loop_of([](const Bare& x, auto) {
         return *x.at < x.a ? x.a : *x.at > x.b ? x.b : *x.at;
       })},
      {"quantise", FaultKind::quantise, step, 0,
       loop_of([](const Bare& x, auto) { return std::nearbyint(*x.at / x.a) * x.a; })},
      {"flip", FaultKind::flip, 0, 0, loop_of([](const Bare& x, auto) {
         return std::bit_cast<double>(std::bit_cast<std::uint64_t>(*x.at) ^ 1U);
       })},
      {"drift", FaultKind::drift, 0, 3, loop_of([](const Bare& x, std::int64_t n) {
         return *x.at * x.a + x.b * static_cast<double>(n) * kSecondsOfFrame;
       })},
      {"noise", FaultKind::noise, 1, 2, loop_of([](const Bare& x, std::int64_t n) {
         return *x.at * x.a + x.b * CounterRandom(static_cast<std::uint64_t>(x.c)).normal(n, 8);
       })},
  };
  for (const Where where : {Where::array, Where::apart, Where::models})
    for (const Row& row : rows) {
      if (where != Where::array && row.kind != FaultKind::offset && row.kind != FaultKind::drift) continue;
      for (const bool one_toggles : {false, true}) {
        if (one_toggles && row.kind != FaultKind::drift) continue;
        Bench bench(where, true);
        std::vector<CompiledFault> faults = faults_of(bench, row.kind, row.a, row.b);
        if (one_toggles) {
          faults.back().kind = FaultKind::offset;
          faults.back().a = 1;
          faults.back().every_frames = 2;
        }
        std::deque<bool> shown(kMany);
        FaultPart part(faults, shown);
        bench.build([&](Executive& executive) { executive.add(part); });
        ask(
            "fault", std::string(row.word) + (one_toggles ? ", beside an offset that comes and goes" : ""),
            where, bench, row.bare, "out",
            [&](std::size_t i) {
              return Bare{nullptr, row.a, row.b, static_cast<double>(i), 0};
            },
            quick);
      }
    }
}

void measure_stimuli(bool quick) {
  using Shape = StimulusSegment::Shape;
  constexpr std::int64_t kHour = std::int64_t{3600} * 1'000'000'000;
  StimulusSegment hold, ramp, sine, square, noise, table;
  hold.to = 5;
  hold.to_bits = std::bit_cast<std::uint64_t>(5.0);
  ramp.shape = Shape::ramp;
  ramp.from_entry = false;
  ramp.to = 1000;
  ramp.length_ns = kHour;
  sine.shape = Shape::sine;
  sine.size = 2;
  sine.frequency = 5;
  square.shape = Shape::square;
  square.frequency = 5;
  square.to_bits = std::bit_cast<std::uint64_t>(1.0);
  noise.shape = Shape::noise;
  noise.size = 2;
  table.shape = Shape::points;
  for (int i = 0; i < 8; ++i) {
    table.points.emplace_back(i * kHour / 8, i % 2);
    table.point_bits.push_back(0);
  }
  table.length_ns = kHour;
  struct Row {
    const char* word;
    const StimulusSegment& segment;
    Bare parameters;
    BareLoop bare;
  };
  const auto time = [](std::int64_t n) { return static_cast<double>(n * Jobs::kFrameNs) * 1e-9; };
  const auto& points = table.points;
  const Row rows[] = {
      {"constant", hold, {nullptr, 5, 0, 0, 0}, loop_of([](const Bare& x, auto) { return x.a; })},
      {"ramp", ramp, {nullptr, 0, 1000, kHour, 0}, loop_of([](const Bare& x, std::int64_t n) {
         return x.a + (x.b - x.a) * (static_cast<double>(n * Jobs::kFrameNs) / x.c);
       })},
      {"sine", sine, {nullptr, 0, 2, 5, 0.1}, loop_of([time](const Bare& x, std::int64_t n) {
         return x.a + x.b * std::sin(2 * std::numbers::pi * x.c * time(n) + x.d);
       })},
      {"square", square, {nullptr, 0, 1, 5, 0.5}, loop_of([time](const Bare& x, std::int64_t n) {
         const double turns = x.c * (time(n) + 1e-9) + 1e-9;
         return turns - std::floor(turns) < x.d ? x.b : x.a;
       })},
      {"noise", noise, {nullptr, 0, 2, 7, 0}, loop_of([](const Bare& x, std::int64_t n) {
         return x.a + x.b * CounterRandom(static_cast<std::uint64_t>(x.c)).normal(n);
       })},
      {"table of 8 points", table, {nullptr, 0, 0, 0, 0}, loop_of([&points](const Bare&, std::int64_t n) {
         const std::int64_t at = n * Jobs::kFrameNs;
         const auto after =
             std::upper_bound(points.begin(), points.end(), at,
                              [](std::int64_t now, const std::pair<std::int64_t, double>& point) {
                                return now < point.first;
                              });
         const auto& [t0, v0] = after[-1];
         const auto& [t1, v1] = after[0];
         return v0 + (v1 - v0) * (static_cast<double>(at - t0) / static_cast<double>(t1 - t0));
       })},
  };
  for (const Where where : {Where::array, Where::apart, Where::models})
    for (const Row& row : rows) {
      const StimulusSegment& segment = row.segment;
      if (where != Where::array && segment.shape != Shape::hold && segment.shape != Shape::ramp) continue;
      Bench bench(where, true);
      const std::vector<CompiledStimulus> stimuli = stimuli_of(bench, segment);
      StimulusPart part(stimuli);
      bench.build([&](Executive& executive) { executive.add(part); });
      ask(
          "stimulus", row.word, where, bench, row.bare, "in",
          [&](std::size_t i) {
            Bare bare = row.parameters;
            if (segment.shape == Shape::sine) bare.d = stimuli[i].segments[0].phase;
            if (segment.shape == Shape::noise) bare.c = static_cast<double>(i);
            return bare;
          },
          quick);
    }
}

}  // namespace

void measure_overlays(bool quick) {
  measure_faults(quick);
  measure_stimuli(quick);
}

}  // namespace tactus::benchmark
