// SPDX-License-Identifier: Apache-2.0
// Sequences by traces: cells in, transitions and verdicts out.
#include "executive/capability/judge/sequence_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "executive/capability/judge/verdict_file.hpp"

namespace tactus::executive::sequence_run_test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kNone = SequenceRun::kNone;
const rtsync::Period kFrame{1'000'000, 1};

/// Cells of a frame: 0 until, 1 a branch, 2 what an expectation judges.
using Cells = std::array<double, 3>;

CompiledStep step(const std::string& name, std::uint32_t next) {
  CompiledStep made;
  made.name = name;
  made.next = next;
  return made;
}

CompiledStepExpectation within(std::int64_t ticks) {
  CompiledStepExpectation made;
  made.name = "safe";
  made.kind = Monitor::Kind::within;
  made.ticks = ticks;
  made.holds = 2;
  return made;
}

class Traced {
 public:
  explicit Traced(CompiledSequence sequence) : sequence_(std::move(sequence)), run_(sequence_) {
    (void)run_.begin(0);
  }

  SequenceRun::Moved take(const Cells& values, bool lost = false, rtsync::Nanoseconds late = 0ns) {
    std::array<config::Cell, 3> cells;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].real = values[i];
    return run_.take(next_++, cells.data(), lost, late);
  }
  void reset() {
    next_ = 0;
    (void)run_.begin_anew(0);
  }
  /// "verdict" or "verdict (why)" of each row; after a colon its frame, of a failure.
  std::map<std::string, std::string> rows() const {
    const TestResult result = judged();
    std::map<std::string, std::string> all;
    for (const config::Json& row : result.expectations) {
      std::string text = row["verdict"];
      if (row["why"] != "") text += " (" + std::string(row["why"]) + ")";
      if (!row["frame"].is_null()) text += ":" + std::to_string(row["frame"].get<std::int64_t>());
      if (row["severity"] == "note") text += " note";
      all[row["name"]] = text;
    }
    return all;
  }
  TestVerdict verdict() const { return judged().verdict; }
  TestResult judged() const {
    std::vector<Standing> standings(run_.rows());
    run_.stand(standings.data());
    TestResult result;
    add_sequence_rows(result, sequence_, standings.data(), kFrame);
    return result;
  }
  SequenceRun& run() { return run_; }

 private:
  CompiledSequence sequence_;
  SequenceRun run_;
  std::int64_t next_ = 0;
};

CompiledSequence two_steps() {
  CompiledStep first = step("first", 1);
  first.until = 0;
  first.timeout = 3;
  first.late_limit = 100us;
  CompiledStep second = step("second", CompiledStep::kEnd);
  second.frames = 2;
  return {{first, second}};
}

TEST(Sequence, AStepBeginsInTheFrameAfterItsTransition) {
  Traced run(two_steps());
  EXPECT_EQ(run.take({0, 0, 0}).left, kNone);
  const SequenceRun::Moved moved = run.take({1, 0, 0});
  EXPECT_EQ(moved.left, 0U);
  EXPECT_EQ(moved.began, 1U);
  EXPECT_FALSE(moved.timed_out);
  EXPECT_EQ(run.take({1, 0, 0}).left, kNone) << "for: its first frame of two";
  EXPECT_EQ(run.take({1, 0, 0}).left, 1U);
  EXPECT_TRUE(run.run().is_over());
  EXPECT_EQ(run.rows(),
            (std::map<std::string, std::string>{{"sequence.first", "pass"}, {"sequence.second", "pass"}}));
}

TEST(Sequence, ATimeOutFailsTheStepInItsLastFrameAndEndsTheSequence) {
  for (const int comes_in : {2, 3}) {
    Traced run(two_steps());
    SequenceRun::Moved moved;
    for (int k = 0; k < 3; ++k) moved = run.take({k >= comes_in ? 1.0 : 0.0, 0, 0});
    EXPECT_EQ(moved.timed_out, comes_in == 3) << "the frame at the time-out belongs to it";
    if (comes_in == 2) continue;
    EXPECT_EQ(moved.began, kNone);
    EXPECT_TRUE(run.run().is_over());
    EXPECT_EQ(run.rows(), (std::map<std::string, std::string>{{"sequence.first", "fail:2"},
                                                              {"sequence.second", "untested"}}));
    EXPECT_EQ(run.verdict(), TestVerdict::fail);
  }
}

TEST(Sequence, ATimeOutOfALateRigHasNoVerdict) {
  struct Row {
    bool lost;
    rtsync::Nanoseconds late;
    const char* says;
  };
  for (const Row& row : {Row{false, 100us, "fail:2"}, Row{false, 101us, "inconclusive (rig late)"},
                         Row{true, 0ns, "inconclusive (rig late)"}}) {
    Traced run(two_steps());
    (void)run.take({0, 0, 0});
    (void)run.take({0, 0, 0}, row.lost, row.late);
    (void)run.take({0, 0, 0});
    EXPECT_EQ(run.rows().at("sequence.first"), row.says);
  }
}

TEST(Sequence, AStepThatEndedInTimeInALateRigHasNoVerdict) {
  for (const bool times_out : {false, true})
    for (const bool lost : {false, true}) {
      CompiledSequence sequence = two_steps();
      sequence.steps[0].timeout = times_out ? 3 : 0;
      Traced run(sequence);
      (void)run.take({0, 0, 0}, lost);
      (void)run.take({1, 0, 0});
      EXPECT_EQ(run.rows().at("sequence.first"), lost && times_out ? "inconclusive (rig late)" : "pass");
      const config::Json row = run.judged().expectations[0];
      if (lost && times_out) {
        EXPECT_EQ(row["late"]["frame"], 0) << row;
        EXPECT_EQ(row["says"], "inconclusive (rig late in frame 0)");
      }
    }
}

TEST(Sequence, AnExpectationOfAStepInALateRigHasNoVerdict) {
  for (const int us : {0, 200, 201}) {
    const rtsync::Nanoseconds late = std::chrono::microseconds(us);
    CompiledSequence sequence = two_steps();
    sequence.steps[0].timeout = 0;
    sequence.steps[0].expectations = {within(1)};
    sequence.steps[0].expectations[0].limit = 2ms;
    Traced run(sequence);
    (void)run.take({0, 0, 0}, false, late);
    (void)run.take({0, 0, 1});
    EXPECT_EQ(run.rows().at("sequence.first.safe"), late > 200us ? "inconclusive (rig late)" : "pass");
    const config::Json row = run.judged().expectations[1];
    EXPECT_EQ(row["late"].is_object(), late > 200us) << row;
  }
}

TEST(Sequence, WhereItIsIsKnownWhileItRuns) {
  Traced run(two_steps());
  const auto live = [&](std::size_t row) {
    return to_live_json(run.judged(), 0, false)["expectations"][row];
  };
  EXPECT_EQ(live(0)["active"], true);
  EXPECT_EQ(live(0)["since"], 0);
  EXPECT_EQ(live(0)["says"], "runs since frame 0");
  EXPECT_EQ(live(1)["active"], false);
  EXPECT_EQ(live(1)["says"], "has not begun");
  const config::Json before = live(1);
  (void)run.take({1, 0, 0});
  EXPECT_EQ(live(0)["active"], false);
  EXPECT_EQ(live(0)["verdict"], "pass");
  EXPECT_EQ(live(0)["says"], "passed");
  EXPECT_EQ(live(1)["since"], 1);
  EXPECT_EQ(live(1)["final"], false);
  EXPECT_FALSE(same_verdict(before, live(1))) << "clients hear of it";
  EXPECT_EQ(to_live_json(run.judged(), 0, true)["expectations"][1]["active"], false) << "the frames are over";
}

TEST(Sequence, SeverityDecidesWhatFollowsATimeOut) {
  CompiledSequence gentle = two_steps();
  gentle.steps[0].severity = Severity::warn;
  gentle.steps[0].on_timeout = 1;  // as it is compiled for warn
  Traced run(gentle);
  for (int k = 0; k < 2; ++k) (void)run.take({0, 0, 0});
  EXPECT_EQ(run.take({0, 0, 0}).began, 1U);
  for (int k = 0; k < 2; ++k) (void)run.take({0, 0, 0});
  EXPECT_EQ(run.verdict(), TestVerdict::pass) << "a warning changes nothing";

  CompiledSequence strict = two_steps();
  strict.steps[0].severity = Severity::stop;
  Traced stops(strict);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(stops.take({0, 0, 0}).stops, kNone);
  EXPECT_EQ(stops.take({0, 0, 0}).stops, 0U);
}

TEST(Sequence, TheFirstBranchThatHoldsWinsOverTheEndOfTheStep) {
  CompiledSequence sequence = two_steps();
  sequence.steps[0].branches = {{1, CompiledStep::kEnd}, {0, 1}};
  Traced run(sequence);
  const SequenceRun::Moved moved = run.take({1, 1, 0});
  EXPECT_EQ(moved.left, 0U);
  EXPECT_EQ(moved.began, kNone);
  EXPECT_EQ(run.rows().at("sequence.second"), "untested note")
      << "a branch that was not taken was not needed";
  EXPECT_EQ(run.verdict(), TestVerdict::pass);
}

TEST(Sequence, AStepMayComeBackAndItsWorstCourseCounts) {
  CompiledSequence sequence = two_steps();
  sequence.steps[0].expectations = {within(0)};
  sequence.steps[1].frames = 1;
  sequence.steps[1].next = 0;
  Traced run(sequence);
  (void)run.take({1, 0, 1});  // first: safe in its first frame
  (void)run.take({0, 0, 0});  // second
  (void)run.take({1, 0, 0});  // first again: not safe
  (void)run.take({0, 0, 0});
  (void)run.take({1, 0, 1});
  EXPECT_EQ(run.rows().at("sequence.first.safe"), "fail:2");
  EXPECT_EQ(run.rows().at("sequence.first"), "pass");
}

TEST(Sequence, AnExpectationCountsFromTheBeginOfItsStep) {
  for (const int holds_in : {1, 2, 3}) {  // the step begins in frame 1
    CompiledSequence sequence = two_steps();
    sequence.steps[1].frames = 5;
    sequence.steps[1].expectations = {within(1)};
    Traced run(sequence);
    (void)run.take({1, 0, 1});
    for (int k = 1; k < 6; ++k) (void)run.take({0, 0, k == holds_in ? 1.0 : 0.0});
    EXPECT_EQ(run.rows().at("sequence.second.safe"), holds_in <= 2 ? "pass" : "fail:1") << holds_in;
  }
}

TEST(Sequence, WhatTheStepWasTooShortForIsInconclusive) {
  CompiledSequence sequence = two_steps();
  sequence.steps[1].expectations = {within(100)};
  Traced run(sequence);
  for (int k = 0; k < 3; ++k) (void)run.take({1, 0, 0});
  EXPECT_EQ(run.rows().at("sequence.second.safe"), "inconclusive (the step ended before)");
}

TEST(Sequence, TheEndOfTheRunInAStepHasNoVerdict) {
  Traced run(two_steps());
  (void)run.take({0, 0, 0});
  EXPECT_EQ(run.rows(),
            (std::map<std::string, std::string>{{"sequence.first", "inconclusive (the end came before)"},
                                                {"sequence.second", "untested"}}));
  run.run().end_early("the rig failed");
  EXPECT_EQ(run.rows().at("sequence.first"), "inconclusive (the rig failed)");
}

TEST(Sequence, AResetBeginsItAnewAndWhatFailedStaysFailed) {
  CompiledSequence sequence = two_steps();
  sequence.steps[0].expectations = {within(2)};
  Traced run(sequence);
  (void)run.take({0, 0, 0});
  run.reset();
  EXPECT_EQ(run.take({1, 0, 1}).left, 0U);
  EXPECT_EQ(run.rows().at("sequence.first"), "inconclusive (reset)");
  EXPECT_EQ(run.rows().at("sequence.first.safe"), "inconclusive (reset)");
  Traced failed(two_steps());
  for (int k = 0; k < 3; ++k) (void)failed.take({0, 0, 0});
  failed.reset();
  for (int k = 0; k < 3; ++k) (void)failed.take({1, 0, 0});
  EXPECT_EQ(failed.rows().at("sequence.first"), "fail:2");
}

/// The same on a whole trace: the frame in which each step is left.
std::vector<std::pair<std::uint32_t, std::int64_t>> slow(const CompiledSequence& sequence,
                                                         const std::vector<Cells>& trace) {
  std::vector<std::pair<std::uint32_t, std::int64_t>> left;
  std::uint32_t here = 0;
  std::size_t begin = 0;
  while (here != CompiledStep::kEnd) {
    const CompiledStep& step = sequence.steps[here];
    std::size_t end = begin;
    std::uint32_t next = CompiledStep::kEnd;
    for (;; ++end) {
      if (end == trace.size()) return left;
      const auto n = static_cast<std::int64_t>(end - begin) + 1;
      if (!step.branches.empty() && trace[end][1] == 1) {
        next = step.branches.front().step;
        break;
      }
      if ((step.until && trace[end][0] == 1) || n == step.frames) {
        next = step.next;
        break;
      }
      if (n == step.timeout) {
        next = step.on_timeout;
        break;
      }
    }
    left.emplace_back(here, static_cast<std::int64_t>(end));
    here = next;
    begin = end + 1;
  }
  return left;
}

TEST(Sequence, IsWhatAWalkOverWholeTracesSays) {
  std::mt19937 random(7);
  const auto one_of = [&](unsigned number) { return static_cast<unsigned>(random() % number); };
  std::size_t moved = 0;
  for (int round = 0; round < 5'000; ++round) {
    CompiledSequence sequence;
    const unsigned steps = 1 + one_of(4);
    const auto any = [&] { return one_of(4) == 0 ? CompiledStep::kEnd : one_of(steps); };
    for (unsigned i = 0; i < steps; ++i) {
      CompiledStep each = step("s" + std::to_string(i), any());
      if (one_of(2) == 0) {
        each.until = 0;
        each.timeout = one_of(6);
        each.on_timeout = any();
      } else {
        each.frames = 1 + one_of(4);
      }
      if (one_of(3) == 0) each.branches = {{1, any()}};
      sequence.steps.push_back(each);
    }
    std::vector<Cells> trace(one_of(40));
    for (Cells& cells : trace) cells = {one_of(5) == 0 ? 1.0 : 0.0, one_of(9) == 0 ? 1.0 : 0.0, 0};
    Traced run(sequence);
    std::vector<std::pair<std::uint32_t, std::int64_t>> left;
    for (std::size_t k = 0; k < trace.size(); ++k)
      if (const auto what = run.take(trace[k]); what.left != kNone)
        left.emplace_back(what.left, static_cast<std::int64_t>(k));
    moved += left.size();
    ASSERT_EQ(left, slow(sequence, trace)) << "round " << round;
  }
  EXPECT_GT(moved, 5'000U);
}

}  // namespace
}  // namespace tactus::executive::sequence_run_test
