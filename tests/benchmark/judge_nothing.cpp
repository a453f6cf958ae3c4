// SPDX-License-Identifier: Apache-2.0
// What does a rig pay for events, expectations, stimuli and faults that it does not have?
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executive/capability/action/action_part.hpp"
#include "executive/capability/fault/fault_part.hpp"
#include "executive/capability/judge/judge_part.hpp"
#include "executive/capability/stimulus/stimulus_part.hpp"
#include "tests/benchmark/benchmark.hpp"
#include "tests/benchmark/judge_cases.hpp"
#include "tests/benchmark/stand.hpp"

namespace tactus::benchmark {
namespace {

using namespace tactus::executive;

/// The parts of a rig whose sections are all there and empty. A run makes none of them then: they are more than it pays.
class EmptyParts {
 public:
  void add_to(Executive& executive) {
    executive.add(faults_);
    executive.add(stimuli_);
    executive.add(actions_);
    executive.add(judge_);
  }

 private:
  std::vector<CompiledFault> no_faults_;
  std::deque<bool> shown_;
  std::vector<CompiledStimulus> no_stimuli_;
  ActionPlan plan_;
  CompiledTest test_;
  FaultPart faults_{no_faults_, shown_};
  StimulusPart stimuli_{no_stimuli_};
  ActionPart actions_{plan_};
  JudgePart judge_{test_, 0, &actions_};
};

double frame_ns(Stand& stand, std::int64_t frames) {
  const std::int64_t begin = process_cpu_ns(), first = stand.frames_run();
  (void)stand.frames(1, frames - 1);
  return static_cast<double>(process_cpu_ns() - begin) / static_cast<double>(stand.frames_run() - first);
}

void ask(std::int64_t jobs, bool quick) {
  Jobs many;
  for (std::int64_t i = 0; i < jobs; ++i) many.add(1);
  Jobs alike;
  for (std::int64_t i = 0; i < jobs; ++i) alike.add(1);
  Jobs same;
  for (std::int64_t i = 0; i < jobs; ++i) same.add(1);
  EmptyParts parts;
  Stand without(many.plan(true));
  Stand again(alike.plan(true));
  Stand with(same.plan(true), [&](Executive& executive) { parts.add_to(executive); });
  const std::int64_t frames = (quick ? 20'000 : 200'000) / (jobs / 20 + 1);
  const Turns turns = take_turns({{"without", [&] { return frame_ns(without, frames); }},
                                  {"without, again", [&] { return frame_ns(again, frames); }},
                                  {"empty parts", [&] { return frame_ns(with, frames); }}},
                                 quick ? 7 : 41);
  answer("what does a rig pay that has no events, expectations, stimuli and faults?",
         {{"jobs", jobs},
          {"frame_without_ns", to_json(turns.of(0))},
          {"frame_of_empty_parts_ns", to_json(turns.of(2))},
          {"two_alike", to_json(turns.ratio(1, 0))},
          {"empty_parts_to_without", to_json(turns.ratio(2, 0))}});
}

}  // namespace

void measure_nothing(bool quick) {
  ask(0, quick);
  ask(1000, quick);
}

}  // namespace tactus::benchmark
