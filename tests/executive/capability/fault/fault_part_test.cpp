// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/fault_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "executive/capability/stimulus/stimulus_part.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::fault_part_test {
namespace {

using rtsync::HeapWatch;
using test::PlanFixture;
using ::testing::Each;
using ::testing::ElementsAre;

/// Counts in its own output, by two jobs; shows what it reads.
class Counter : public Model {
 public:
  void declare(Declare& d) override {
    d.input("u", u);
    d.output("y", y);
    d.output("z", z);
    d.output("seen", seen);
    d.job<&Counter::first>("first", JobClass::scheduled);
    d.job<&Counter::second>("second", JobClass::controller, every(std::chrono::microseconds(500)));
  }
  void first() {
    y += 1;
    z = -y;
    seen = u;
  }
  void second() { seen = u; }
  double u = 0, y = 0, z = 0, seen = 0;
};

/// What is on the other side of the connection.
class Reader : public Model {
 public:
  void declare(Declare& d) override {
    d.input("x", x);
    d.job<&Reader::step>("step", JobClass::environment);
  }
  void step() {}
  double x = 0;
};

struct Bench {
  explicit Bench(std::vector<CompiledFault> made, const char* on = "y") : faults(std::move(made)) {
    counter = &fixture.model<Counter>("c");
    reader = &fixture.model<Reader>("r");
    fixture.connect(fixture.ref(*counter, "y"), fixture.ref(*reader, "x"), true);
    for (CompiledFault& fault : faults) {
      fault.refs.insert(fault.refs.begin(), fixture.ref(*counter, on));
      shown.push_back(false);
      fixture.plan.overlaid.insert(counter);
    }
  }
  /// What is seen of a variable at the end of each frame.
  std::vector<double> run(std::int64_t frames, double Counter::*value = &Counter::y) {
    Executive& executive = fixture.make();
    part.emplace(faults, shown);
    executive.add(*part);
    if (with != nullptr) executive.add(*with);
    executive.add(watch);
    watch.look = [this, value] {
      seen.push_back(PlanFixture::object<Counter>(*counter).*value);
      effect.push_back(shown.front());
    };
    end = fixture.run(frames);
    return seen;
  }
  struct Watch final : FramePart {
    void in_slack(const FrameEnd&) TACTUS_RT override { look(); }
    std::function<void()> look;
  };
  PlanFixture fixture;
  const ModelInstance* counter;
  const ModelInstance* reader;
  std::vector<CompiledFault> faults;
  std::deque<bool> shown;
  std::optional<FaultPart> part;
  StimulusPart* with = nullptr;
  Watch watch;
  std::vector<double> seen;
  std::vector<bool> effect;
  RunEnd end;
};

CompiledFault fault(FaultKind kind, std::int64_t frame = 3, std::int64_t until_ms = 6) {
  CompiledFault made;
  made.name = "f";
  made.kind = kind;
  made.frame = frame;
  made.until_ns = until_ms * 1'000'000;
  return made;
}

TEST(FaultPart, AnOffsetOfAnOutputThatIsTheModelsStateDoesNotAccumulate) {
  CompiledFault offset = fault(FaultKind::offset);
  offset.a = 1;
  offset.b = 100;
  Bench bench({offset});
  EXPECT_THAT(bench.run(8), ElementsAre(1, 2, 3, 104, 105, 106, 7, 8));
  EXPECT_THAT(bench.effect, ElementsAre(false, false, false, true, true, true, false, false));
  EXPECT_EQ(PlanFixture::object<Reader>(*bench.reader).x, 7) << "delayed by an instant";
}

TEST(FaultPart, ALineThatMovesIsTheSameWhetherOrNotTheFaultIsAskedInEachFrame) {
  for (const FaultKind kind : {FaultKind::noise, FaultKind::drift})
    for (const char* const on : {"y", "u"})
      for (const bool with_offset : {false, true}) {
        const auto seen = [&](std::optional<double> probability) {
          CompiledFault moves = fault(kind, 2, 12);
          moves.b = 1000;
          moves.random = CounterRandom(7);
          moves.probability = probability;  // of 1: it comes in each frame, which is asked
          CompiledFault offset = fault(FaultKind::offset, 5, 8);
          offset.name = "g";
          offset.a = 1;
          offset.b = 0.5;
          Bench bench(with_offset ? std::vector{moves, offset} : std::vector{moves}, on);
          return bench.run(16, *on == 'y' ? &Counter::y : &Counter::seen);
        };
        const std::vector<double> values = seen({});
        EXPECT_EQ(values, seen(1.0)) << static_cast<int>(kind) << on << with_offset;
        EXPECT_NE(values[10], *on == 'y' ? 11 : 0) << "it acts";
        EXPECT_EQ(values[14], *on == 'y' ? 15 : 0) << "it has ended";
      }
}

TEST(FaultPart, AnInputOfSeveralJobsIsChangedOnce) {
  CompiledFault gain = fault(FaultKind::gain);
  gain.a = 3;
  Bench bench({gain}, "u");
  PlanFixture::object<Counter>(*bench.counter).u = 2;
  EXPECT_THAT(bench.run(8, &Counter::seen), ElementsAre(2, 2, 2, 6, 6, 6, 2, 2));
}

TEST(FaultPart, StuckKeepsTheValueThatItHad) {
  Bench bench({fault(FaultKind::stuck)});
  EXPECT_THAT(bench.run(8), ElementsAre(1, 2, 3, 3, 3, 3, 7, 8));
  CompiledFault with_value = fault(FaultKind::stuck);
  with_value.values.emplace(1, overlay_bits(TACTUS_DOUBLE, -5));
  Bench other({with_value});
  EXPECT_THAT(other.run(8), ElementsAre(1, 2, 3, -5, -5, -5, 7, 8));
}

TEST(FaultPart, ADelayShowsWhatWasBefore) {
  CompiledFault delay = fault(FaultKind::delay);
  delay.delay_frames = 2;
  Bench bench({delay});
  EXPECT_THAT(bench.run(8), ElementsAre(1, 2, 3, 2, 3, 4, 7, 8));
  CompiledFault at_once = fault(FaultKind::delay, 0);
  at_once.delay_frames = 3;
  Bench first({at_once});
  EXPECT_THAT(first.run(8), ElementsAre(0, 0, 0, 1, 2, 3, 7, 8))
      << "before the first frame it had its first value";
}

TEST(FaultPart, ADropoutHasNoValueAndTheGuardLooksAtTheTrueOne) {
  CompiledFault dropout = fault(FaultKind::dropout);
  dropout.dropout = CompiledFault::Dropout::nan;
  Bench bench({dropout});
  const std::vector<double> seen = bench.run(8);
  EXPECT_EQ(bench.end.outcome, Outcome::completed) << bench.end.reason;
  ASSERT_EQ(seen.size(), 8U);
  EXPECT_TRUE(std::isnan(seen[3]) && std::isnan(seen[5]));
  EXPECT_EQ(seen[6], 7);
}

TEST(FaultPart, TwoVariablesChangePlaces) {
  CompiledFault swap = fault(FaultKind::swap);
  Bench bench({swap});
  bench.faults[0].refs.push_back(bench.fixture.ref(*bench.counter, "z"));
  EXPECT_THAT(bench.run(8), ElementsAre(1, 2, 3, -4, -5, -6, 7, 8));
}

TEST(FaultPart, ASwapShowsWhatTheFaultsBeforeItMadeOfTheOther) {
  CompiledFault offset = fault(FaultKind::offset), swap = fault(FaultKind::swap),
                gain = fault(FaultKind::gain);
  offset.a = 1;
  offset.b = 100;
  gain.a = 2;
  Bench bench({offset, swap, gain});
  bench.faults[0].refs[0] = bench.fixture.ref(*bench.counter, "z");
  bench.faults[1].refs.push_back(bench.fixture.ref(*bench.counter, "z"));
  EXPECT_THAT(bench.run(8), ElementsAre(1, 2, 3, 2 * (100 - 4), 2 * (100 - 5), 2 * (100 - 6), 7, 8));
}

TEST(FaultPart, OneThatSleepsIsCountedInEachFrameAndEndsInTime) {
  CompiledFault first = fault(FaultKind::offset, 2, 1000), second = fault(FaultKind::gain, 0, 7);
  first.a = 1;
  first.b = 10;
  first.lasting_ns = 3'000'000;
  second.a = 2;
  Bench bench({first, second});
  EXPECT_THAT(bench.run(9), ElementsAre(2, 4, 26, 28, 30, 12, 14, 8, 9));
  EXPECT_EQ(bench.part->figures(0).frames, 3);
  EXPECT_EQ(bench.part->figures(0).first, 2);
  EXPECT_EQ(bench.part->figures(0).last, 4);
  EXPECT_EQ(bench.part->figures(1).frames, 7);
}

TEST(FaultPart, DriftBeginsAtNothingAndQuantiseAndLimitSayWhatIsSeen) {
  CompiledFault drift = fault(FaultKind::drift);
  drift.b = 1000;
  Bench bench({drift});
  EXPECT_THAT(bench.run(7), ElementsAre(1, 2, 3, 4, 6, 8, 7));
  CompiledFault quantise = fault(FaultKind::quantise);
  quantise.a = 4;
  EXPECT_THAT(Bench({quantise}).run(7), ElementsAre(1, 2, 3, 4, 4, 8, 7));
  CompiledFault limit = fault(FaultKind::limit);
  limit.a = -1;
  limit.b = 4.5;
  EXPECT_THAT(Bench({limit}).run(7), ElementsAre(1, 2, 3, 4, 4.5, 4.5, 7));
}

TEST(FaultPart, ItIsSwitchedFromTheNextFrameOn) {
  CompiledFault stuck = fault(FaultKind::stuck, 0, 1000);
  stuck.frame.reset();
  Bench bench({stuck});
  struct Hand final : FramePart {
    void joined(FrameServices& services) override { row = services.switches("fault"); }
    void in_slack(const FrameEnd& end) TACTUS_RT override {
      seen[static_cast<std::size_t>(end.frame)] = row->standing(0);
      if (end.frame == 2) row->turn(0, true);
      if (end.frame == 4) row->turn(0, false);
    }
    SwitchRow* row = nullptr;
    std::array<SwitchRow::Standing, 7> seen{};
  } hand;
  Executive& executive = bench.fixture.make();
  bench.part.emplace(bench.faults, bench.shown);
  executive.add(*bench.part);
  executive.add(hand);
  executive.add(bench.watch);
  bench.watch.look = [&] { bench.seen.push_back(PlanFixture::object<Counter>(*bench.counter).y); };
  bench.end = bench.fixture.run(7);
  EXPECT_THAT(bench.seen, ElementsAre(1, 2, 3, 3, 3, 6, 7));
  const auto began = bench.part->log().take();
  const auto ended = bench.part->log().take();
  ASSERT_TRUE(began && ended);
  EXPECT_EQ(began->frame, 3);
  EXPECT_EQ(began->on, 1U);
  EXPECT_EQ(ended->frame, 5);
  EXPECT_EQ(ended->on, 0U);
  EXPECT_EQ(bench.part->figures(0).frames, 2);
  using Is = SwitchRow::Is;
  const SwitchRow::Standing off{Is::off, -1}, on{Is::on, 3}, over{Is::off, 5};
  EXPECT_THAT(hand.seen, ElementsAre(off, off, off, on, on, over, over));
}

TEST(FaultPart, ComesAsOftenAsItsProbabilityAndAtOneOfEachSpan) {
  CompiledFault some;
  some.probability = 0.2;
  some.random = CounterRandom(5, 1);
  int number = 0;
  for (std::int64_t n = 0; n < 10'000; ++n) number += some.comes(n) ? 1 : 0;
  EXPECT_NEAR(number, 2000, 150);
  CompiledFault spans;
  spans.every_frames = 10;
  spans.each_frames = 3;
  spans.random = CounterRandom(5, 1);
  spans.anywhere = true;
  bool other_places = false;
  for (std::int64_t span = 0; span < 500; ++span) {
    std::vector<std::int64_t> when;
    for (std::int64_t n = span * 10; n < span * 10 + 10; ++n)
      if (spans.comes(n)) when.push_back(n);
    ASSERT_EQ(when.size(), 3U);
    EXPECT_EQ(when[2] - when[0], 2);
    other_places = other_places || when[0] % 10 != 0;
  }
  EXPECT_TRUE(other_places);
  spans.anywhere = false;
  for (std::int64_t n = 0; n < 100; ++n) EXPECT_EQ(spans.comes(n), n % 10 < 3);
}

TEST(FaultPart, WithAStimulusOnTheSameVariableNothingTouchesTheHeapAndTheFaultIsOnTop) {
  std::vector<CompiledStimulus> stimuli(1);
  stimuli[0].name = "u";
  StimulusSegment& ramp = stimuli[0].segments.emplace_back();
  ramp.shape = StimulusSegment::Shape::ramp;
  ramp.to = 10;
  ramp.length_ns = 10'000'000;
  CompiledFault stuck = fault(FaultKind::stuck);
  CompiledFault noise = fault(FaultKind::noise, 0, 100'000);
  noise.b = 1;
  Bench bench({stuck}, "u");
  noise.refs.push_back(bench.fixture.ref(*bench.counter, "y"));
  bench.faults.push_back(noise);
  bench.shown.push_back(false);
  stimuli[0].ref = bench.fixture.ref(*bench.counter, "u");
  StimulusPart part(stimuli);
  bench.with = &part;
  bench.seen.reserve(4000);
  bench.effect.reserve(4000);
  const std::vector<double> seen = bench.run(3000, &Counter::seen);
  EXPECT_THAT(std::vector<double>(seen.begin(), seen.begin() + 12),
              ElementsAre(0, 1, 2, 2, 2, 2, 6, 7, 8, 9, 10, 10));
  EXPECT_EQ(part.figures(0).frames, 3000);
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  EXPECT_EQ(bench.fixture.executive->counters().heap_calls.value_or(1), 0U);
}

TEST(FaultPart, OneThatLastsForATimeEndsAtTheSameFrameAfterTheRigWentBack) {
  constexpr std::int64_t kBack = 10;  // the frame at whose end it goes back
  for (const FaultKind kind : {FaultKind::offset, FaultKind::stuck, FaultKind::drift, FaultKind::noise})
    for (const std::int64_t copied : {0, 3, 8}) {  // before it, while it lasts, and after it
      CompiledFault made = fault(kind, 2);
      made.until_ns.reset();
      made.lasting_ns = 5'000'000;
      made.a = 1;
      made.b = 100;
      Bench bench({made});
      Executive& executive = bench.fixture.make();
      bench.part.emplace(bench.faults, bench.shown);
      executive.add(*bench.part);
      executive.add(bench.watch);
      LoadedState state;
      bench.watch.look = [&] {
        bench.seen.push_back(PlanFixture::object<Counter>(*bench.counter).y);
        bench.effect.push_back(bench.shown.front());
        const auto frame = static_cast<std::int64_t>(bench.seen.size()) - 1;
        if (frame == copied) state = {executive.restorer().copy(), copied + 1};
        if (frame == kBack) executive.request_load(state);
      };
      bench.end = bench.fixture.run(14);
      ASSERT_EQ(bench.end.outcome, Outcome::completed) << bench.end.reason;
      ASSERT_EQ(bench.seen.size(), static_cast<std::size_t>(kBack + 1 + 14 - (copied + 1)));
      for (std::int64_t k = 0; k <= kBack; ++k)
        EXPECT_EQ(bench.effect[static_cast<std::size_t>(k)], k >= 2 && k < 7) << k;
      for (std::int64_t k = copied + 1; k <= kBack; ++k) {
        const auto first = static_cast<std::size_t>(k), again = static_cast<std::size_t>(kBack + k - copied);
        EXPECT_EQ(bench.seen[again], bench.seen[first]) << made.what << " of frame " << k;
        EXPECT_EQ(bench.effect[again], bench.effect[first]) << k;
      }
    }
}

}  // namespace
}  // namespace tactus::executive::fault_part_test
