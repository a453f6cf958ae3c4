// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/end_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::end_watch_test {
namespace {

using namespace std::chrono_literals;
using test::PlanFixture;

/// Outputs that were driven safe, or not.
class Output final : public SafeOutput {
 public:
  bool drive_safe() TACTUS_RT override {
    ++times;
    if (while_driven) while_driven();
    return true;
  }
  int times = 0;
  std::function<void()> while_driven;
};

/// A rig of 1 ms whose job looks at the watch, which reads the time that the test says. No thread is started.
class EndWatchTest : public ::testing::Test, protected PlanFixture {
 protected:
  EndWatchTest() {
    plan.safe_outputs = {&output};
    job("hang.step", TACTUS_SCHEDULED, [this](const tactus_call& call) {
      if (call.frame == 3 && in_frame_3) in_frame_3();
      return 0;
    });
  }
  void prepare() {
    make();
    threads = std::make_unique<RigThreads>(*executive, section, cpus, false);
    watch.emplace(*executive, *threads, 1ms);
  }
  bool overdue_after(std::chrono::nanoseconds time) {
    now += time;
    return watch->overdue(now);
  }

  Output output;
  ThreadsSection section;
  RigCpus cpus;
  std::unique_ptr<RigThreads> threads;
  std::optional<EndWatch> watch;
  EndWatch::Clock::time_point now{100s};
  std::function<void()> in_frame_3;
};

TEST_F(EndWatchTest, ARigThatIsLeftAloneIsNeverOverdue) {
  prepare();
  watch->begin(now);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(overdue_after(200ms));
  EXPECT_EQ(output.times, 0);
}

TEST_F(EndWatchTest, AnAbortWaitsASecondForAJob) {
  prepare();
  watch->begin(now);
  executive->request_abort("somebody asked");
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(200ms)) << i;
  EXPECT_TRUE(overdue_after(200ms));
}

TEST_F(EndWatchTest, AJobAfterTheFramesIsNamedOnceAfterASecondAndLastsTenMinutesAtMost) {
  prepare();
  watch->begin(now, true);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(250ms)) << i;
  EXPECT_EQ(watch->take_note(), "");
  EXPECT_FALSE(overdue_after(250ms));
  EXPECT_EQ(watch->take_note(), "the rig ends when a thread returns; a second signal (Ctrl-C) aborts it");
  EXPECT_EQ(watch->take_note(), "");
  for (int i = 5; i < 4 * 600 - 1; ++i) ASSERT_FALSE(overdue_after(250ms)) << i;
  EXPECT_TRUE(overdue_after(250ms));
}

TEST_F(EndWatchTest, WhatTheFirstFrameWaitsForIsNamedAfterASecondAndHasNoLimit) {
  prepare();
  watch->begin(now, false, "the join of the federation", true);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(250ms)) << i;
  EXPECT_EQ(watch->take_note(), "");
  EXPECT_FALSE(overdue_after(250ms));
  EXPECT_EQ(
      watch->take_note(),
      "the rig starts when the join of the federation returns; Ctrl-C stops it, a second one aborts it");
  for (int i = 5; i < 4 * 1000; ++i) ASSERT_FALSE(overdue_after(250ms)) << i;
}

TEST_F(EndWatchTest, AMachineThatStoodStillGaveTheJobNoTime) {
  prepare();
  watch->begin(now);
  executive->request_abort("somebody asked");
  EXPECT_FALSE(overdue_after(10s)) << "one look counts for 250 ms at most";
  EXPECT_FALSE(overdue_after(10s));
  EXPECT_FALSE(overdue_after(10s));
  EXPECT_TRUE(overdue_after(10s));
}

TEST_F(EndWatchTest, ANewWaitBeginsAtNothing) {
  prepare();
  watch->begin(now);
  executive->request_abort("somebody asked");
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(200ms));
  watch->begin(now);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(200ms)) << i;
  EXPECT_TRUE(overdue_after(200ms));
}

TEST_F(EndWatchTest, AStopThatAJobDoesNotLetHappenDrivesTheOutputsSafe) {
  prepare();
  watch->begin(now);
  executive->request_stop("somebody asked");
  EXPECT_FALSE(overdue_after(1ms));
  EXPECT_FALSE(overdue_after(1001ms));
  EXPECT_EQ(output.times, 0) << "a second and a frame are not over";
  EXPECT_FALSE(overdue_after(1ms)) << "a stop waits for ever";
  EXPECT_EQ(output.times, 1);
}

TEST_F(EndWatchTest, ADriverThatDoesNotDriveItsOutputsSafeIsWaitedForASecondAndNamed) {
  prepare();
  output.set_name("pins");
  watch->begin(now);
  output.while_driven = [this] {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(250ms)) << i;
    EXPECT_TRUE(overdue_after(250ms));
    EXPECT_TRUE(watch->drives_outputs());
    EXPECT_EQ(watch->reason(), "the driver of model 'pins' did not return from drive_safe() within 1.00 s");
  };
  (void)executive->end_outputs_safe();
  EXPECT_EQ(output.times, 1);
  EXPECT_FALSE(overdue_after(250ms)) << "it has returned";
  EXPECT_FALSE(watch->drives_outputs());
}

TEST_F(EndWatchTest, NamesTheJobThatDidNotReturnAndCountsItsFrameAsAnOverrun) {
  prepare();
  bool seen = false;
  in_frame_3 = [&] {
    watch->begin(now);
    executive->request_abort("somebody asked");
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(overdue_after(200ms));
    ASSERT_TRUE(overdue_after(200ms));
    EXPECT_EQ(watch->reason(), "aborted; job 'hang.step' did not return within 1.00 s");
    EXPECT_EQ(watch->overran(), 799ms) << "since the beat that the first look saw, less a frame";
    const rtsync::RealtimeTotals with = watch->totals(true);
    const rtsync::RealtimeTotals without = watch->totals(false);
    EXPECT_EQ(without.overruns, 0);
    EXPECT_EQ(with.overruns, 1);
    EXPECT_EQ(with.overruns_by_work, 1);
    EXPECT_EQ(with.max_consecutive_overruns, 1);
    EXPECT_EQ(with.longest_overrun, 799ms);
    seen = true;
  };
  (void)run(10);
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace tactus::executive::end_watch_test
