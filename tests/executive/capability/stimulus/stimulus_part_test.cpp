// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/expression_builder.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::stimulus_part_test {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using Shape = StimulusSegment::Shape;
constexpr std::int64_t kMs = 1'000'000;

class Plant : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.input("count", count);
    d.output("seen", seen);
    d.output("seen_count", seen_count);
    d.job<&Plant::step>("step", JobClass::scheduled);
  }
  void step() {
    seen = u;
    seen_count = count;
  }
  double u = 0, seen = 0;
  std::int64_t count = 0, seen_count = 0;
};

StimulusSegment segment(Shape shape, double to, std::int64_t length_ns = StimulusSegment::kForEver) {
  StimulusSegment made;
  made.shape = shape;
  made.to = to;
  made.to_bits = overlay_bits(TACTUS_DOUBLE, to);
  made.length_ns = length_ns;
  return made;
}

struct Bench {
  explicit Bench(std::vector<StimulusSegment> segments, const char* on = "u") : stimuli(1) {
    plant = &fixture.model<Plant>("p");
    stimuli[0].name = "s";
    stimuli[0].segments = std::move(segments);
    stimuli[0].ref = fixture.ref(*plant, on);
    fixture.plan.overlaid.insert(plant);
  }
  std::vector<double> run(std::int64_t frames) {
    Executive& executive = fixture.make();
    part.emplace(stimuli);
    executive.add(*part);
    hand.bench = this;
    executive.add(hand);
    (void)fixture.run(frames);
    return seen;
  }
  struct Hand final : FramePart {
    void joined(FrameServices& services) override { row = services.switches("stimulus"); }
    void in_slack(const FrameEnd& end) TACTUS_RT override {
      const Plant& model = PlanFixture::object<Plant>(*bench->plant);
      bench->seen.push_back(model.seen);
      bench->counts.push_back(model.seen_count);
      if (bench->after) bench->after(end.frame, *row);
    }
    SwitchRow* row = nullptr;
    Bench* bench = nullptr;
  };
  PlanFixture fixture;
  const ModelInstance* plant;
  std::vector<CompiledStimulus> stimuli;
  std::optional<StimulusPart> part;
  std::function<void(std::int64_t, SwitchRow&)> after;
  Hand hand;
  std::vector<double> seen;
  std::vector<std::int64_t> counts;
};

TEST(StimulusPart, EachFrameOfASegmentHasTheValueOfItsTime) {
  for (const Shape shape : {Shape::sine, Shape::ramp, Shape::chirp, Shape::points, Shape::square}) {
    StimulusSegment moves = segment(shape, 9, 20 * kMs);
    moves.from_entry = false;
    moves.from = 2;
    moves.from_bits = overlay_bits(TACTUS_DOUBLE, 2);
    moves.size = 3;
    moves.frequency = 60;
    moves.until = 90;
    moves.points = {{0, 1}, {7 * kMs, 4}, {20 * kMs, -2}};
    Bench bench({segment(Shape::hold, 5, 3 * kMs), moves, segment(Shape::hold, 7)});
    const std::vector<double> seen = bench.run(26);
    for (std::int64_t k = 3; k < 23; ++k) {
      const std::int64_t at_ns = (k - 3) * kMs;
      StimulusMemory memory;
      EXPECT_EQ(seen[static_cast<std::size_t>(k)], value_of(moves, at_ns, k, memory))
          << static_cast<int>(shape) << ", frame " << k;
    }
    EXPECT_EQ(seen[2], 5);
    EXPECT_EQ(seen[23], 7);
  }
}

TEST(StimulusPart, OneThatDoesNotChangeSleepsAndIsCountedInEachFrame) {
  Bench bench({segment(Shape::hold, 5, 3 * kMs), segment(Shape::hold, 7)});
  bench.stimuli[0].frame = 2;
  bench.after = [](std::int64_t frame, SwitchRow& row) {
    if (frame == 6) row.turn(0, false);
  };
  EXPECT_THAT(bench.run(9), ElementsAre(0, 0, 5, 5, 5, 7, 7, 0, 0));
  const SwitchFigures figures = bench.part->figures(0);
  EXPECT_EQ(figures.frames, 5);
  EXPECT_EQ(figures.first, 2);
  EXPECT_EQ(figures.last, 6);
}

TEST(StimulusPart, WhatAModelWritesIntoAnInputIsItsTrueValueAfterwards) {
  Bench bench({segment(Shape::hold, 5)});
  bench.after = [&](std::int64_t frame, SwitchRow& row) {
    if (frame == 1) PlanFixture::object<Plant>(*bench.plant).u = 3;  // somebody else, between frames
    if (frame == 4) row.turn(0, false);
  };
  const std::vector<double> seen = bench.run(7);
  EXPECT_EQ(seen[3], 5);
  EXPECT_EQ(seen[5], 3);
}

TEST(StimulusPart, AWholeNumberKeepsAllItsDigits) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 53) + 1;
  StimulusSegment points = segment(Shape::points, 0);
  points.holds = true;
  points.points = {{0, 1.0}, {2 * kMs, static_cast<double>(kBig)}};
  points.point_bits = {1, static_cast<std::uint64_t>(kBig)};
  StimulusSegment hold = segment(Shape::hold, 0, 2 * kMs);
  hold.to_bits = static_cast<std::uint64_t>(kBig + 2);
  Bench bench({hold, points}, "count");
  (void)bench.run(6);
  EXPECT_THAT(bench.counts, ElementsAre(kBig + 2, kBig + 2, 1, 1, kBig, kBig));
}

/// An expression of numbers alone.
StimulusExpression expression(const std::string& text) {
  const VariableNames none([](const std::string&, std::string&) { return std::optional<VariableRef>(); });
  config::ExpressionBuilder builder(none, {});
  std::vector<config::ExpressionProblem> problems;
  const config::ExpressionValue value = builder.add(config::parse_expression(text), problems).value();
  StimulusExpression made;
  made.cell = value.cell;
  made.whole = value.type == config::CellType::whole;
  made.program = builder.take();
  return made;
}

TEST(StimulusPart, AnExpressionWithoutAValueShowsNoNumber) {
  for (const char* const text : {"round(1 / 0)", "0 / 0", "10000000000000000000 * 10000000000000000000"}) {
    Bench bench({segment(Shape::expression, 0)});
    bench.fixture.plan.nan_guard = false;
    bench.stimuli[0].expressions = {expression(text)};
    const std::vector<double> seen = bench.run(1);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_TRUE(std::isnan(seen[0])) << text << ": " << seen[0];
  }
}

TEST(StimulusPart, AWholeNumberOfAnExpressionStaysInItsRange) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::pair<const char*, std::int64_t> rows[] = {{"9223372036854775807 - 1", kMost - 1},
                                                       {"9223372036854775807 * 3", kMost},
                                                       {"-9223372036854775807 * 3", -kMost - 1},
                                                       {"round(1 / 0)", 0}};
  for (const auto& [text, shown] : rows) {
    Bench bench({segment(Shape::expression, 0)}, "count");
    bench.stimuli[0].expressions = {expression(text)};
    (void)bench.run(1);
    EXPECT_THAT(bench.counts, ElementsAre(shown)) << text;
  }
}

TEST(StimulusPart, ASecondSegmentOfNoiseHasNumbersOfItsOwn) {
  StimulusSegment first = segment(Shape::noise, 0, 3 * kMs), second = segment(Shape::noise, 0);
  first.size = second.size = 1;
  first.random = CounterRandom(1);
  second.random = CounterRandom(2);
  const std::vector<double> seen = Bench({first, second}).run(5);
  for (std::int64_t n = 0; n < 5; ++n)
    EXPECT_EQ(seen[static_cast<std::size_t>(n)], CounterRandom(n < 3 ? 1 : 2).normal(n)) << n;
}

TEST(StimulusPart, ARampInALoopBeginsWithTheValueBeforeIt) {
  const auto looped = [](std::vector<StimulusSegment> segments) {
    Bench bench(std::move(segments));
    bench.stimuli[0].loop = true;
    return bench.run(7);
  };
  EXPECT_THAT(looped({segment(Shape::ramp, 4, 2 * kMs), segment(Shape::ramp, 0, 2 * kMs)}),
              ElementsAre(0, 2, 4, 2, 0, 2, 4));
  EXPECT_THAT(looped({segment(Shape::ramp, 4, 2 * kMs)}), ElementsAre(0, 2, 4, 4, 4, 4, 4));
  StimulusSegment saw = segment(Shape::ramp, 4, 2 * kMs);
  saw.from_entry = false;
  EXPECT_THAT(looped({saw}), ElementsAre(0, 2, 0, 2, 0, 2, 0));
}

TEST(StimulusPart, OneThatBeginsAgainWhileItBlendsDoesNotJump) {
  for (const std::int64_t again : {3, 6, 14, 30}) {  // while it blends in, later, and while it holds
    Bench bench({segment(Shape::hold, 100, 12 * kMs), segment(Shape::hold, -50)});
    bench.stimuli[0].blend_ns = 10 * kMs;
    bench.stimuli[0].switched = true;
    bench.after = [again](std::int64_t frame, SwitchRow& row) {
      if (frame == 0 || frame == again) row.turn(0, true);
      if (frame == 40 || frame == 45) row.turn(0, frame == 45);
      if (frame == 48) row.turn(0, false);
    };
    const std::vector<double> seen = bench.run(80);
    for (std::size_t k = 1; k < seen.size(); ++k) {
      const bool step = std::abs(static_cast<double>(k) - static_cast<double>(again) - 13) < 1.5 ||
                        (k >= 12 && k <= 14 && again >= 12);  // its own, from segment to segment
      if (!step) EXPECT_LT(std::abs(seen[k] - seen[k - 1]), 21) << again << ": frame " << k;
    }
    EXPECT_EQ(seen.back(), 0);
  }
}

/// Segments of which each frame has another value, or some do.
std::vector<StimulusSegment> moving_segments() {
  std::vector<StimulusSegment> all(9, segment(Shape::ramp, 7, 30 * kMs));
  all[1].from_entry = false;
  all[1].from = -2;
  for (std::size_t i : {2U, 3U}) {
    all[i].shape = Shape::points;
    all[i].holds = i == 3;
    for (int at = 0; at < 4; ++at) {
      all[i].points.emplace_back((at * 7 + 2) * kMs + at, 0.1 * at * at);
      all[i].point_bits.push_back(overlay_bits(TACTUS_DOUBLE, 0.1 * at * at));
    }
  }
  all[4].shape = Shape::sine;
  all[4].size = 2;
  all[4].frequency = 37;
  all[4].phase = 0.3;
  all[5].shape = Shape::square;
  all[5].frequency = 70;
  all[5].duty = 0.3;
  all[6].shape = Shape::prbs;
  all[6].sequence = binary_sequence(4, 3);
  all[6].interval_ns = 2'500'000;
  all[7].shape = Shape::noise;
  all[7].mean = 1;
  all[7].size = 3;
  all[7].random = CounterRandom(9);
  all[8].shape = Shape::chirp;
  all[8].frequency = 3;
  all[8].until = 50;
  all[8].size = 1;
  return all;
}

TEST(StimulusPart, EachFrameHasTheValueOfItsSegmentToTheLastBit) {
  const std::vector<StimulusSegment> all = moving_segments();
  Bench bench(all);
  bench.stimuli[0].loop = true;
  const std::vector<double> seen = bench.run(600);
  StimulusMemory memory;
  for (std::int64_t k = 0; k < 600; ++k) {
    const std::int64_t place = k / 30;
    const StimulusSegment& of = all[static_cast<std::size_t>(place % 9)];
    if (k % 30 == 0 && k > 0)
      memory.entry = value_of(all[static_cast<std::size_t>((place - 1) % 9)], 30 * kMs, k, memory);
    if (k % 30 == 0) memory.noise_at = -1;
    ASSERT_EQ(seen[static_cast<std::size_t>(k)], value_of(of, k % 30 * kMs, k, memory)) << k;
  }
}

TEST(StimulusPart, ManyOfEachKindShowTheSameAsOneByItself) {
  const std::vector<StimulusSegment> all = moving_segments();
  std::vector<std::vector<double>> alone;
  for (const StimulusSegment& each : all) {
    alone.push_back(Bench({each}).run(60));
    alone.back().resize(60);
  }
  PlanFixture fixture;
  std::vector<CompiledStimulus> stimuli;
  std::vector<const ModelInstance*> plants;
  for (std::size_t i = 0; i < 4 * all.size(); ++i) {
    plants.push_back(&fixture.model<Plant>(("p" + std::to_string(i)).c_str()));
    fixture.plan.overlaid.insert(plants.back());
    CompiledStimulus& stimulus = stimuli.emplace_back();
    stimulus.name = "s" + std::to_string(i);
    stimulus.segments = {all[i % all.size()]};
    stimulus.ref = fixture.ref(*plants.back(), "u");
    stimulus.frame = static_cast<std::int64_t>(i % 7);
  }
  struct Look final : FramePart {
    void in_slack(const FrameEnd& end) TACTUS_RT override { look(end.frame); }
    std::function<void(std::int64_t)> look;
  } look;
  look.look = [&](std::int64_t k) {
    for (std::size_t i = 0; i < stimuli.size(); ++i)
      if (k >= stimuli[i].frame && k < 50)
        ASSERT_EQ(PlanFixture::object<Plant>(*plants[i]).seen,
                  alone[i % all.size()][static_cast<std::size_t>(k - stimuli[i].frame)])
            << i << " in frame " << k;
  };
  StimulusPart part(stimuli);
  Executive& executive = fixture.make();
  executive.add(part);
  executive.add(look);
  (void)fixture.run(50);
}

}  // namespace
}  // namespace tactus::executive::stimulus_part_test
