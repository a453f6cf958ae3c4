// SPDX-License-Identifier: Apache-2.0
/// Events, steps and actions in the frames of a simulated rig.
#include "executive/capability/action/action_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "executive/capability/judge/judge_part.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/simulated_rig.hpp"

namespace tactus::executive::action_part_test {
namespace {

using test::kHead;
using test::SimulatedRig;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kModels = kHead +
                            "  a: { model: gain, library: ./libmodels.so, parameters: { k: 2 } }\n"
                            "  b: { model: gain, library: ./libmodels.so, parameters: { k: 1 } }\n"
                            "connect: [{ from: a.y, to: b.u }]\n";

/// Two things that are switched, and what was asked of them.
class Toys final : public FramePart {
 public:
  Toys() : FramePart("toys") {}
  void joined(FrameServices& services) override { services.add(row_); }
  std::vector<std::string>& turned() { return row_.turned; }

 private:
  struct Row final : SwitchRow {
    Row() : SwitchRow("record") { turned.reserve(100); }
    void turn(std::uint32_t number, bool on) TACTUS_RT override {
      turned.push_back(std::to_string(number) + (on ? " on" : " off"));
    }
    std::vector<std::string> turned;
  };
  Row row_;
};

/// Writes down two variables after the jobs of each frame.
class Look final : public FramePart {
 public:
  explicit Look(Rig& rig) : FramePart("look") {
    for (const ModelInstance& model : rig.models()) {
      u_.push_back(static_cast<const double*>(model.find_variable("u")->data));
      y_.push_back(static_cast<const double*>(model.find_variable("y")->data));
      k_.push_back(static_cast<const double*>(model.find_variable("k")->data));
    }
    rows.reserve(10'000);
  }
  void end_frame(std::int64_t) TACTUS_RT override { rows.push_back({*u_[0], *u_[1], *y_[1], *k_[1]}); }

  struct Row {
    double a, b, y, k;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;

 private:
  std::vector<const double*> u_, y_, k_;
};

struct Bench {
  explicit Bench(const std::string& text)
      : rig(text),
        plan(rig.rig.Rig::settings().of<PlannedActions>().plan),
        test(rig.rig.Rig::settings().of<PlannedTest>().test),
        actions(*plan),
        judge(*test, 0, &actions),
        look(rig.rig) {
    rig.executive.add(look);
    rig.executive.add(actions);
    rig.executive.add(judge);
    rig.executive.add(toys);
  }
  /// "event e 3", "step s -1" ...
  std::vector<std::string> notes() {
    static const char* const kWhat[] = {"event", "step", "over",  "failed",
                                        "timed", "log",  "trace", "not done"};
    std::vector<std::string> all;
    ActionNote note;
    while (actions.take_note(note))
      all.push_back(std::string(kWhat[static_cast<int>(note.what)]) + " " + std::to_string(note.index) + " " +
                    std::to_string(note.frame));
    return all;
  }

  SimulatedRig rig;
  std::shared_ptr<const ActionPlan> plan;
  std::shared_ptr<const CompiledTest> test;
  ActionPart actions;
  JudgePart judge;
  Toys toys;
  Look look;
};

TEST(ActionPart, AnActionTakesEffectWithTheFrameAfterItsEvent) {
  Bench bench(kModels +
              "commands: [{ at: 3 ms, do: [ set a.u 2 V ] }]\n"
              "events: { up: { when: a.u > 1 V, do: [ set b.k 5, log up ] } }\n"
              "expect: { e: { finally: count(up) == 1 } }\n");
  EXPECT_EQ(bench.rig.run(6).outcome, Outcome::completed);
  EXPECT_THAT(bench.notes(), ElementsAre("timed 0 2", "event 0 3", "log 1 3"));
  for (std::size_t k = 0; k < bench.look.rows.size(); ++k) {
    EXPECT_EQ(bench.look.rows[k].a == 2, k >= 3) << k;
    EXPECT_EQ(bench.look.rows[k].k == 5, k >= 4) << k;
  }
  EXPECT_EQ(bench.judge.monitors()[0].verdict(), TestVerdict::pass);
}

TEST(ActionPart, AForceHoldsAnInputAgainstItsConnectionUntilItIsReleased) {
  Bench bench(kModels +
              "commands:\n  - { at: 0 s, do: [ set a.u 1 V ] }\n  - { at: 2 ms, do: [ force b.u 7 V ] }\n"
              "  - { at: 4 ms, do: [ release b.u ] }\n");
  EXPECT_EQ(bench.rig.run(6).outcome, Outcome::completed);
  std::vector<double> b;
  for (const Look::Row& row : bench.look.rows) b.push_back(row.b);
  EXPECT_EQ(b[2], 7);
  EXPECT_EQ(b[3], 7);
  EXPECT_NE(b[1], 7);
  EXPECT_NE(b[4], 7);
  EXPECT_EQ(bench.look.rows[2].y, 7) << "the job reads it";
  EXPECT_THAT(bench.notes(), ElementsAre("timed 0 -1", "timed 1 1", "timed 2 3"));
}

TEST(ActionPart, WhatIsSetWhileItIsForcedIsReported) {
  Bench bench(kModels +
              "commands: [{ at: 1 ms, do: [ force a.u 7 V ] }, { at: 2 ms, do: [ set a.u 3 V ] }]\n");
  (void)bench.rig.run(5);
  EXPECT_EQ(bench.look.rows.back().a, 7);
  EXPECT_THAT(bench.notes(), ElementsAre("timed 0 0", "timed 1 1", "not done 1 1"));
}

TEST(ActionPart, AStepSwitchesThingsAndStopsTheRig) {
  Bench bench(kModels +
              "record: { one: { variables: [a.y] }, two: { variables: [a.y] } }\n"
              "sequence:\n"
              "  - { step: s, do: [ record two off ], for: 2 ms }\n"
              "  - { step: t, do: [ record two on, stop enough ], for: 1 ms }\n");
  const RunEnd end = bench.rig.run(10);
  EXPECT_EQ(end.outcome, Outcome::stopped);
  EXPECT_EQ(end.reason, "stopped by the rig file (step t): enough");
  EXPECT_EQ(end.frames, 2);
  EXPECT_THAT(bench.toys.turned(), ElementsAre("1 off", "1 on"));
  EXPECT_THAT(bench.notes(), ElementsAre("step 0 -1", "over 0 1", "step 1 1"));
}

TEST(ActionPart, AnActionThatSwitchesAJobOrPausesIsTakenAtTheEndOfTheFrame) {
  Bench bench(kModels +
              "commands:\n  - { at: 0 s, do: [ set a.u 1 V ] }\n  - { at: 2 ms, do: [ disable b.step ] }\n"
              "  - { at: 4 ms, do: [ enable b.step ] }\n  - { at: 5 ms, do: [ pause ] }\n");
  int paused = 0;
  bench.rig.sleeper.on_wait = [&](int) {
    if (bench.rig.executive.state() == State::pause && ++paused == 2)
      bench.rig.executive.request_stop("by the test");
  };
  const RunEnd end = bench.rig.run(10);
  EXPECT_EQ(end.outcome, Outcome::stopped);
  EXPECT_EQ(end.frames, 5) << "paused before frame 5";
}

TEST(ActionPart, AResetDropsForcesAndBeginsSequenceAndTimesAnew) {
  Bench bench(kModels +
              "commands: [{ at: 1 ms, do: [ force b.u 7 V ] }, { at: 4 ms, do: reset }]\n"
              "sequence: [{ step: s, for: 3 ms }, { step: t }]\n");
  bench.rig.behind_frame[6] = [&] { bench.rig.executive.request_stop("by the test"); };
  (void)bench.rig.executive.restorer().prepare_reset();
  (void)bench.rig.run(100);
  const std::vector<std::string> notes = bench.notes();
  EXPECT_EQ(std::count(notes.begin(), notes.end(), "timed 0 0"), 2) << ::testing::PrintToString(notes);
  EXPECT_EQ(std::count(notes.begin(), notes.end(), "step 0 -1"), 2);
  ASSERT_GT(bench.look.rows.size(), 4U);
  EXPECT_EQ(bench.look.rows[3].b, 7);
  EXPECT_NE(bench.look.rows[4].b, 7) << "the first frame after the reset";
}

TEST(ActionPart, ARatioChangesTheRealTimeOfFramesFromTheEndOfTheFrameOn) {
  const auto took = [](const std::string& commands) {
    Bench bench(kModels + commands);
    rtsync::TimePoint<rtsync::RigTime> began{};
    bench.rig.behind_frame[1] = [&] { began = bench.rig.clock.now(); };
    EXPECT_EQ(bench.rig.run(40).outcome, Outcome::completed);
    return bench.rig.clock.now() - began;
  };
  const auto plain = took("commands: [{ at: 10 ms, do: [ log ten ] }]\n");
  const auto twice = took("commands: [{ at: 10 ms, do: [ ratio 2 ] }]\n");
  const auto half = took("commands: [{ at: 10 ms, do: [ { ratio: 0.5 } ] }]\n");
  // Thirty frames, of which the one that ends when the command comes may still have its old length.
  EXPECT_NEAR(static_cast<double>((plain - twice).count()), 15e6, 1.1e6);
  EXPECT_NEAR(static_cast<double>((half - plain).count()), 30e6, 1.1e6);
}

TEST(ActionPart, TheFramesTouchNoHeapWithAllOfItOn) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  Bench bench(
      kModels +
      "commands: [{ at: 2 ms, do: [ set a.u 2 V ] }]\n"
      "events:\n"
      "  odd: { when: a.u > 0 V, each: yes, do: [ set a.u 0 V, force b.u "
      "3 V, log odd ] }\n"
      "  even: { when: a.u < 1 V, each: yes, do: [ set a.u 5 V, release b.u, enable a.step ] }\n"
      "sequence:\n"
      "  - { step: s, do: [ release b.u, log s ], until: a.u > 2 V, timeout: 20 ms, expect: { e: 'within "
      "3 ms: a.u > 0 V' } }\n"
      "  - { step: t, do: [ force b.u 2 V ], for: 3 ms, expect: { e: always a.u >= 0 V }, next: s }\n"
      "expect: { x: { always: a.u >= 0 V } }\n");
  EXPECT_EQ(bench.rig.run(5'000).outcome, Outcome::completed);
  ASSERT_TRUE(bench.rig.executive.counters().heap_calls.has_value());
  EXPECT_EQ(*bench.rig.executive.counters().heap_calls, 0U);
  EXPECT_GT(bench.actions.event(0).count.load() + bench.actions.event(1).count.load(), 100);
  EXPECT_GT(bench.actions.lost(), 0U) << "nobody reads the notes: a full ring counts";
}

}  // namespace
}  // namespace tactus::executive::action_part_test
