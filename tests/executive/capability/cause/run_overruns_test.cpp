// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_overruns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace tactus::executive::run_overruns_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using rtsync::Nanoseconds;
using rtsync::OverrunCause;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FrameNote overrun(std::int64_t frame, Nanoseconds by, OverrunCause cause = OverrunCause::work) {
  FrameNote note;
  note.timing.frame = frame;
  note.timing.paced = true;
  note.timing.slack = -by;
  note.timing.work = 1ms + by;
  note.timing.overrun = cause;
  note.overrun.cause =
      cause == OverrunCause::catching_up ? rtsync::Cause::catching_up : rtsync::Cause::computed;
  note.overrun.job = 1;
  note.overrun.facts.took = 1ms;
  note.overrun.facts.usual = 20us;
  return note;
}

class RunOverrunsTest : public ::testing::Test {
 protected:
  RunOverrunsTest() {
    plan_.jobs.resize(2);
    plan_.jobs[1].name = "motor.step";
  }
  void take(const FrameNote& note) { overruns_.take(note, now_); }
  std::vector<Json> entries() {
    std::vector<Json> all;
    for (const auto& entry : history_.after(0, 1000).entries) all.push_back(*entry);
    return all;
  }

  Plan plan_;
  LiveHistory history_;
  RunOverruns overruns_{history_, plan_, nullptr};
  RunOverruns::Clock::time_point now_ = RunOverruns::Clock::now();
};

TEST_F(RunOverrunsTest, AFrameThatFollowsOneWhoseNoteWasLostFollowsNoOther) {
  take(overrun(100, 300us));
  FrameNote follows = overrun(5001, 2ms, OverrunCause::catching_up);
  follows.overrun.frame = 5000;
  take(follows);
  follows.timing.frame = 5002;
  take(follows);
  overruns_.flush(6000);
  ASSERT_THAT(entries(), SizeIs(2));
  EXPECT_EQ(entries()[0]["followers"], 0);
  EXPECT_EQ(entries()[0]["cost_ns"], 300'000);
  EXPECT_EQ(entries()[1]["frame"], 5001);
  EXPECT_EQ(entries()[1]["cause"], "catching_up");
  EXPECT_EQ(entries()[1]["followers"], 1);
}

TEST_F(RunOverrunsTest, AnOverrunHasItsCauseAndItsFigures) {
  take(overrun(100, 300us));
  overruns_.flush(150);
  ASSERT_THAT(entries(), SizeIs(1));
  const Json entry = entries()[0];
  EXPECT_EQ(entry["frame"], 100);
  EXPECT_EQ(entry["sim_time_ns"], 100'000'000);
  EXPECT_EQ(entry["over_ns"], 300'000);
  EXPECT_EQ(entry["by"], "work");
  EXPECT_EQ(entry["cause"], "computed");
  EXPECT_EQ(entry["who"], "motor.step");
  EXPECT_EQ(entry["job"], "motor.step");
  EXPECT_EQ(entry["text"], "computed: job motor.step computed for 1.00 ms, usually 20.0 us");
  EXPECT_EQ(entry["evidence"][0],
            Json::parse(R"({"figure": "took", "value": 1e6, "unit": "ns", "usual": 2e4})"));
  EXPECT_EQ(entry["followers"], 0);
  EXPECT_EQ(entry["caught_up"], true);
  EXPECT_EQ(entry["share_ns"], 300'000);
  EXPECT_TRUE(entry["beside"].is_null());
}

TEST_F(RunOverrunsTest, FramesThatAreLateFromItAreItsFollowers) {
  take(overrun(100, 300us));
  overruns_.flush(101);
  EXPECT_EQ(entries()[0]["caught_up"], false) << "the next frame may be late from it";
  overruns_.flush(101);
  EXPECT_EQ(history_.last(), 1) << "nothing new";
  take(overrun(101, 100us, OverrunCause::catching_up));
  take(overrun(102, 50us, OverrunCause::catching_up));
  overruns_.flush(103);
  ASSERT_THAT(entries(), SizeIs(1));
  EXPECT_EQ(entries()[0]["followers"], 2);
  EXPECT_EQ(entries()[0]["cost_ns"], 450'000);
  EXPECT_EQ(entries()[0]["over_ns"], 300'000) << "its own";
  EXPECT_EQ(entries()[0]["caught_up"], false);
  EXPECT_EQ(entries()[0]["id"], 1);
  EXPECT_EQ(entries()[0]["n"], 2);
  overruns_.flush(104);
  EXPECT_EQ(entries()[0]["caught_up"], true);
  EXPECT_EQ(entries()[0]["n"], 3);
  overruns_.flush(105);
  EXPECT_EQ(history_.last(), 3);
}

TEST_F(RunOverrunsTest, TheNextOneIsAnotherEntry) {
  take(overrun(100, 300us));
  take(overrun(101, 200us));
  overruns_.flush(102);
  ASSERT_THAT(entries(), SizeIs(2));
  EXPECT_EQ(entries()[0]["caught_up"], true);
  EXPECT_EQ(entries()[1]["frame"], 101);
  EXPECT_EQ(entries()[1]["id"], 2);
}

TEST_F(RunOverrunsTest, AResetEndsIt) {
  take(overrun(100, 300us));
  overruns_.flush(0);
  EXPECT_EQ(entries()[0]["caught_up"], true);
}

TEST_F(RunOverrunsTest, ALateWakeIsExplainedByItsWake) {
  FrameNote note = overrun(7, 1ms, OverrunCause::late_wake);
  note.overrun = {};
  note.late.cause = rtsync::Cause::machine_stopped;
  note.late.facts.part = rtsync::LatePart::wake;
  take(note);
  overruns_.flush(9);
  EXPECT_EQ(entries()[0]["by"], "late wake");
  EXPECT_EQ(entries()[0]["cause"], "machine_stopped");
  EXPECT_EQ(entries()[0]["who"], "the machine");
  EXPECT_TRUE(entries()[0]["job"].is_null());
}

TEST_F(RunOverrunsTest, OfTwoCausesTheSmallerOneStandsBesideWithItsShare) {
  FrameNote note = overrun(7, 10ms, OverrunCause::late_wake);
  note.beside = note.overrun;
  note.beside_share = 1ms;
  note.overrun = {};
  note.overrun.cause = rtsync::Cause::machine_stopped;
  note.overrun.facts.part = rtsync::LatePart::wake;
  note.late = note.overrun;
  take(note);
  FrameNote later = overrun(8, 9ms);
  later.overrun = {};
  later.overrun.cause = rtsync::Cause::catching_up;
  take(later);
  overruns_.flush(10);
  ASSERT_THAT(entries(), SizeIs(1)) << "a frame that is late from it, whatever its own work did, follows it";
  EXPECT_EQ(entries()[0]["cause"], "machine_stopped");
  EXPECT_EQ(entries()[0]["share_ns"], 9'000'000);
  EXPECT_EQ(entries()[0]["beside"], Json::parse(R"({"cause": "computed", "who": "motor.step",
      "text": "computed: job motor.step computed for 1.00 ms, usually 20.0 us", "job": "motor.step",
      "share_ns": 1000000})"));
  EXPECT_EQ(entries()[0]["followers"], 1);
}

TEST_F(RunOverrunsTest, WhatIsNoOverrunIsNoEntry) {
  FrameNote late = overrun(7, -1ms, OverrunCause::none);
  take(late);
  FrameNote grace = overrun(8, 1ms);
  grace.timing.grace = true;
  take(grace);
  overruns_.flush(20);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(RunOverrunsTest, AFloodIsCounted) {
  for (int k = 0; k < 500; ++k) take(overrun(2 * k, 300us));
  overruns_.flush(2000);
  EXPECT_THAT(entries(), SizeIs(RunOverruns::kMostPerSecond));
  EXPECT_EQ(history_.after(0, 1).left_out, 300);
  overruns_.note_lost(7);
  overruns_.note_lost(7);
  EXPECT_EQ(history_.after(0, 1).left_out, 307) << "notes that did not fit their ring";
  now_ += 1s;
  take(overrun(5000, 300us));
  overruns_.flush(6000);
  EXPECT_EQ(entries().back()["frame"], 5000);
}

}  // namespace
}  // namespace tactus::executive::run_overruns_test
