// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/longest_stretch.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "executive/frame/stretch_evidence.hpp"
#include "rtsync/clock/clock.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::longest_stretch_test {
namespace {

using namespace std::chrono_literals;
using rtsync::LatePart;
using rtsync::Nanoseconds;

class LongestStretchTest : public ::testing::Test, protected test::PlanFixture {
 protected:
  LongestStretchTest() {
    plan.job_times = true;
    job_clock = &JobClock::monotonic;
    job("step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
    job("slow.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
    make();
    slow_ = executive->program().find("slow.step");
  }
  /// A frame of an hour that has just ended, and whose jobs ran at its end: before them it had waited for a job of
  /// another thread for that time. However long the machine stands still in this test, it is short beside that.
  Stretch work_with_a_wait_of(Nanoseconds time) {
    Program& program = executive->program();
    Lane& lane = program.lane(0);
    lane.begin_frame(7);
    lane.consider(slow_, program.job_clock().ticks_beyond(time));
    lane.begin();
    (void)lane.call(program.entries()[0]);
    rtsync::FrameTiming timing;
    timing.paced = true;
    timing.period = 1ms;
    timing.work = 1h;
    timing.slack = timing.period - timing.work;
    timing.slot = real_.now() - timing.work;
    return LongestStretch(program, real_, statistics_).of_work(timing);
  }

  std::uint32_t slow_ = 0;

 private:
  rtsync::MonotonicClock real_;
  FrameStatistics statistics_;
};

TEST_F(LongestStretchTest, TimeWithoutAJobIsAWaitWhereTheFrameWaitedForMostOfIt) {
  const Stretch stretch = work_with_a_wait_of(50min);
  EXPECT_EQ(stretch.part, LatePart::between_jobs);
  EXPECT_EQ(stretch.job, slow_);
  EXPECT_TRUE(stretch.for_others);
}

TEST_F(LongestStretchTest, AThreadThatWasAwaitedForAMomentIsNotToBlameForALongTimeWithoutAJob) {
  const Stretch stretch = work_with_a_wait_of(2us);
  EXPECT_EQ(stretch.part, LatePart::between_jobs);
  EXPECT_GT(stretch.time(), 50min);
  EXPECT_EQ(stretch.job, Finding::kNoJob);
  EXPECT_FALSE(stretch.for_others);
}

TEST(StretchEvidence, AThreadThatWasAwaitedForAMomentIsNotTheRootOfALongWait) {
  test::PlanFixture bench;
  bench.plan.threads.emplace_back().name = "w";
  bench.job("step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
  bench.job_clock = &JobClock::monotonic;
  Program& program = bench.make().program();
  ThreadUses uses(program);
  const IsolatedUses isolated(program.plan());
  const StretchEvidence seen(program, uses, isolated);
  Stretch stretch;
  stretch.part = LatePart::between_jobs;
  stretch.to = stretch.from + 1h;
  const auto root_of_a_wait_of = [&](Nanoseconds time) {
    Lane& lane = program.lane(0);
    lane.begin_frame(7);
    lane.record_wait(1, program.job_clock().ticks() - program.job_clock().ticks_beyond(time));
    return seen.root_of(stretch).thread;
  };
  EXPECT_EQ(root_of_a_wait_of(50min), 1U);
  EXPECT_EQ(root_of_a_wait_of(2us), 0U);
}

}  // namespace
}  // namespace tactus::executive::longest_stretch_test
