// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::run_causes_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using rtsync::Cause;
using rtsync::Nanoseconds;
using rtsync::OverrunCause;
using test::PlanFixture;
using test::RecordedVoice;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RunCausesTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunCausesTest() {
    plan.job_times = true;
    job("a.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
    job("b.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
    make();
    causes.emplace(*executive);
  }
  static FrameNote overrun(Cause cause, Nanoseconds by, std::uint32_t job = 0,
                           OverrunCause because = OverrunCause::work) {
    FrameNote note;
    note.timing.slack = -by;
    note.timing.overrun = because;
    note.overrun.cause = cause;
    note.overrun.job = job;
    return note;
  }
  static FrameNote late(Cause cause, Nanoseconds by) {
    FrameNote note;
    note.timing.slack = 500us;
    note.timing.late = by;
    note.timing.late_wake = true;
    note.late.cause = cause;
    return note;
  }
  std::vector<std::string> poll_seldom() {
    causes->poll_seldom(voice.voice());
    return voice.take();
  }

  std::optional<RunCauses> causes;
  RecordedVoice voice;
};

TEST_F(RunCausesTest, CountsEachCauseWithItsWorstItsSumAndItsJobs) {
  causes->take(overrun(Cause::blocked, 2ms));
  causes->take(overrun(Cause::blocked, 3ms, 1));
  causes->take(overrun(Cause::blocked, 1ms, 1));
  causes->take(overrun(Cause::computed, 1ms));
  causes->take(late(Cause::timer_late, 300us));
  EXPECT_EQ(causes->causes(), Json::parse(R"({
      "computed": {"overruns": 1, "late_wakes": 0, "worst_ns": 1000000, "sum_ns": 1000000, "jobs": {"a.step": 1}},
      "blocked": {"overruns": 3, "late_wakes": 0, "worst_ns": 3000000, "sum_ns": 6000000,
                  "jobs": {"a.step": 1, "b.step": 2}},
      "timer_late": {"overruns": 0, "late_wakes": 1, "worst_ns": 300000, "sum_ns": 300000, "jobs": {}}})"));
  EXPECT_EQ(causes->overruns(), 4);
  EXPECT_EQ(causes->found(), 5U);
}

TEST_F(RunCausesTest, AnOverrunByALateWakeIsOneLateness) {
  for (const OverrunCause because : {OverrunCause::late_wake, OverrunCause::housekeeping}) {
    FrameNote note = overrun(Cause::preempted, 2ms, Finding::kNoJob, because);
    note.timing.late = 2ms;
    note.late.cause = Cause::preempted;
    causes->take(note);
  }
  const Json preempted = causes->causes().at("preempted");
  EXPECT_EQ(preempted["overruns"], 2);
  EXPECT_EQ(preempted["late_wakes"], 2);
  EXPECT_EQ(preempted["sum_ns"], 4'000'000) << "its time counts once";
}

TEST_F(RunCausesTest, ACauseIsChargedItsShareAndWhatWasCaughtUpFromIt) {
  FrameNote two = overrun(Cause::preempted, 10ms, Finding::kNoJob, OverrunCause::late_wake);
  two.late.cause = Cause::preempted;
  two.timing.late = 9ms;
  two.beside.cause = Cause::computed;
  two.beside.job = 1;
  two.beside_share = 1ms;
  causes->take(two);
  causes->take(overrun(Cause::catching_up, 8ms, Finding::kNoJob, OverrunCause::catching_up));
  FrameNote own = overrun(Cause::catching_up, 7ms, Finding::kNoJob, OverrunCause::catching_up);
  own.beside.cause = Cause::blocked;
  own.beside.job = 0;
  own.beside_share = 2ms;
  causes->take(own);
  causes->take(overrun(Cause::catching_up, 4ms, Finding::kNoJob, OverrunCause::catching_up));
  EXPECT_EQ(causes->causes(), Json::parse(R"({
      "computed": {"overruns": 0, "late_wakes": 0, "worst_ns": 1000000, "sum_ns": 2700000, "jobs": {"b.step": 1}},
      "blocked": {"overruns": 0, "late_wakes": 0, "worst_ns": 2000000, "sum_ns": 2000000, "jobs": {"a.step": 1}},
      "preempted": {"overruns": 1, "late_wakes": 1, "worst_ns": 9000000, "sum_ns": 24300000, "jobs": {},
                    "by": [{"name": "another thread", "policy": "", "of": "", "count": 1, "sum_ns": 24300000}]},
      "catching_up": {"overruns": 3, "late_wakes": 0, "worst_ns": 0, "sum_ns": 0, "jobs": {}}})"));
}

TEST_F(RunCausesTest, WhatFollowsAFrameThatAddsToADelayIsChargedToBoth) {
  causes->take(overrun(Cause::preempted, 40ms, Finding::kNoJob, OverrunCause::late_wake));
  FrameNote adds = overrun(Cause::blocked, 320ms, 1);
  adds.beside.cause = Cause::catching_up;
  adds.beside_share = 80ms;
  causes->take(adds);
  causes->take(overrun(Cause::catching_up, 200ms, Finding::kNoJob, OverrunCause::catching_up));
  EXPECT_EQ(causes->causes(), Json::parse(R"({
      "blocked": {"overruns": 1, "late_wakes": 0, "worst_ns": 240000000, "sum_ns": 390000000,
                  "jobs": {"b.step": 1}},
      "preempted": {"overruns": 1, "late_wakes": 0, "worst_ns": 80000000, "sum_ns": 170000000, "jobs": {},
                    "by": [{"name": "another thread", "policy": "", "of": "", "count": 1, "sum_ns": 170000000}]},
      "catching_up": {"overruns": 1, "late_wakes": 0, "worst_ns": 0, "sum_ns": 0, "jobs": {}}})"));
}

TEST_F(RunCausesTest, WhatFollowsAFrameWhoseNoteWasLostIsChargedToNoOther) {
  causes->take(overrun(Cause::preempted, 40ms, Finding::kNoJob, OverrunCause::late_wake));
  FrameNote follows = overrun(Cause::catching_up, 200ms, Finding::kNoJob, OverrunCause::catching_up);
  follows.timing.frame = 5001;
  follows.overrun.frame = 5000;
  causes->take(follows);
  follows.timing.frame = 5002;
  causes->take(follows);
  EXPECT_EQ(causes->causes().at("preempted").at("sum_ns"), 40'000'000);
  EXPECT_EQ(causes->causes().at("catching_up").at("sum_ns"), 400'000'000)
      << "from frame 5000, nothing else is known";
}

TEST_F(RunCausesTest, WhatTookTimeIsSummedByCulprit) {
  const auto stopped = [](Nanoseconds by, bool by_signal) {
    FrameNote note = overrun(Cause::machine_stopped, by, Finding::kNoJob, OverrunCause::late_wake);
    note.late.cause = Cause::machine_stopped;
    note.overrun.evidence.went_on = by_signal;
    return note;
  };
  causes->take(stopped(4ms, false));
  causes->take(overrun(Cause::catching_up, 3ms, Finding::kNoJob, OverrunCause::catching_up));
  causes->take(stopped(30ms, true));
  causes->take(stopped(5ms, false));
  causes->take(overrun(Cause::computed, 1ms));
  EXPECT_EQ(causes->causes().at("machine_stopped").at("by"), Json::parse(R"([
      {"name": "SIGSTOP", "policy": "", "of": "", "count": 1, "sum_ns": 30000000},
      {"name": "the machine", "policy": "", "of": "", "count": 2, "sum_ns": 12000000}])"));
  EXPECT_FALSE(causes->causes().at("computed").contains("by")) << "a job";
}

TEST_F(RunCausesTest, WithoutAFindingThereIsNoCause) {
  causes->take(overrun(Cause::none, 2ms));
  causes->take(late(Cause::none, 2ms));
  EXPECT_EQ(causes->causes(), Json::object());
  EXPECT_EQ(causes->found(), 0U);
}

TEST_F(RunCausesTest, AJobThatBreaksAPromiseIsToldOnceAndCounted) {
  BrokenPromises& promises = executive->program().promises();
  EXPECT_THAT(poll_seldom(), IsEmpty());
  promises.add(0, BrokenPromises::heap, 12);
  promises.add(1, BrokenPromises::block, 1);
  EXPECT_THAT(
      poll_seldom(),
      ElementsAre("job a.step uses the heap in a frame: 12 calls so far, in 1 frame; summary.json has all "
                  "(promises_broken)",
                  "job b.step gives up its CPU in a frame: 1 time so far, in 1 frame; summary.json has all "
                  "(promises_broken)"));
  promises.add(0, BrokenPromises::heap, 3);
  EXPECT_THAT(poll_seldom(), IsEmpty()) << "it was told";
  promises.add(0, BrokenPromises::fault, 1);
  promises.add(0, BrokenPromises::fault, 1);
  EXPECT_THAT(poll_seldom(),
              ElementsAre("job a.step faults pages in a frame: 2 page faults so far, in 2 frames; "
                          "summary.json has all (promises_broken)"));
  promises.add(1, BrokenPromises::floating, 1);
  EXPECT_THAT(
      poll_seldom(),
      ElementsAre("job b.step changes the floating-point environment, which is put back: 1 time so far; "
                  "summary.json has all (promises_broken)"));
  EXPECT_EQ(causes->promises_broken(), Json::parse(R"({
      "a.step": {"heap": {"count": 15, "frames": 2}, "faults": {"count": 2, "frames": 2}},
      "b.step": {"switches": {"count": 1, "frames": 1}, "floating_point": {"count": 1, "frames": 1}}})"));
  EXPECT_EQ(causes->found(), 19U);
}

}  // namespace
}  // namespace tactus::executive::run_causes_test
