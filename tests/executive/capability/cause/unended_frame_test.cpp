// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/unended_frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <chrono>
#include <functional>
#include <string>

#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::unended_frame_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;
using test::PlanFixture;

/// A job that does not return from frame 3 on: the test looks at the rig from within it.
class UnendedFrame : public ::testing::Test, protected PlanFixture {
 protected:
  UnendedFrame() {
    plan.job_times = true;
    job("hang.step", TACTUS_SCHEDULED, [this](const tactus_call& call) {
      clock.advance(20us);
      if (call.frame == 3) {
        executive->stuck_mark().mark(0, by);
        within();
      }
      return 0;
    });
  }
  FrameNote note_of(const rtsync::ThreadLook& look) {
    FrameNote note;
    within = [&] { note = note_of_unended(*executive, 0, look, 2s); };
    (void)run(4);
    return note;
  }
  std::string text_of(rtsync::StuckBy one, const std::string& frozen = "") {
    std::string text;
    by = one;
    within = [&] { text = executive->stuck_mark().text(0, frozen); };
    (void)run(4);
    return text;
  }
  std::function<void()> within;
  rtsync::StuckBy by = rtsync::StuckBy::itself;
};

TEST_F(UnendedFrame, IsOverByTheTimeThatItWasWaitedFor) {
  const FrameNote note = note_of({});
  EXPECT_EQ(note.timing.frame, 3);
  EXPECT_TRUE(note.timing.paced);
  EXPECT_EQ(note.timing.overrun, rtsync::OverrunCause::work);
  EXPECT_EQ(note.timing.slack, -2s);
  EXPECT_EQ(note.timing.work, 2001ms);
  EXPECT_EQ(note.longest_job, 0U);
  EXPECT_EQ(note.overrun.job, 0U);
  EXPECT_EQ(note.overrun.facts.took, 2001ms);
  EXPECT_GT(note.overrun.facts.usual, 0us) << "of the calls before";
  EXPECT_EQ(note.overrun.cause, Cause::unknown) << "nothing was seen of the thread";
  EXPECT_FALSE(note.overrun.evidence.switches.has_value());
}

TEST_F(UnendedFrame, AThreadThatComputesHasComputed) {
  rtsync::ThreadLook look;
  look.ready = 10;
  look.in_user = 90ms;
  const FrameNote note = note_of(look);
  EXPECT_EQ(note.overrun.cause, Cause::computed);
  EXPECT_FALSE(note.overrun.evidence.switches.has_value());
}

TEST_F(UnendedFrame, AThreadInTheKernelIsNotKnown) {
  rtsync::ThreadLook look;
  look.ready = 10;
  look.in_kernel = 90ms;
  EXPECT_EQ(note_of(look).overrun.cause, Cause::unknown);
}

TEST_F(UnendedFrame, WhatAThreadComputesThatGotItsCpuOnlyThenIsNotWhyItWasLate) {
  rtsync::ThreadLook look;
  look.ready = 10;
  look.in_user = 90ms;
  by = rtsync::StuckBy::no_cpu;
  EXPECT_EQ(note_of(look).overrun.cause, Cause::unknown);
}

TEST_F(UnendedFrame, NorIsASleepOfOneThatADebuggerHadStopped) {
  rtsync::ThreadLook look;
  look.asleep = 10;
  by = rtsync::StuckBy::stopped;
  const FrameNote note = note_of(look);
  EXPECT_EQ(note.overrun.cause, Cause::unknown);
  EXPECT_FALSE(note.overrun.evidence.switches.has_value());
}

TEST_F(UnendedFrame, IsItsJobsFaultWhereThatHadTheCpu) {
  const std::string text = text_of(rtsync::StuckBy::itself);
  EXPECT_THAT(text,
              testing::StartsWith("thread 'main' is stuck in job 'hang.step': it did not come back within"));
}

TEST_F(UnendedFrame, IsNoFaultOfAJobThatHadNoCpu) {
  const std::string text = text_of(rtsync::StuckBy::no_cpu);
  EXPECT_THAT(text, testing::StartsWith("thread 'main' had no CPU in job 'hang.step' for "));
  EXPECT_THAT(text, testing::HasSubstr("(threads.stuck_after): it was ready, and another thread"));
}

TEST_F(UnendedFrame, IsNoFaultOfAJobThatWasStopped) {
  const std::string text = text_of(rtsync::StuckBy::stopped);
  EXPECT_THAT(text, testing::StartsWith("thread 'main' was stopped in job 'hang.step' for "));
  EXPECT_THAT(text, testing::EndsWith(": by a debugger or a signal"));
}

TEST_F(UnendedFrame, IsNoFaultOfAJobThatIsFrozen) {
  EXPECT_THAT(text_of(rtsync::StuckBy::itself, "its control group /rig is frozen"),
              testing::EndsWith("(threads.stuck_after): its control group /rig is frozen"));
}

TEST_F(UnendedFrame, OfAClockItsDriverIsBlamedWhereThatHadTheCpu) {
  make();
  executive->stuck_mark().mark_call("driver 'pulse' did not return from wait()");
  EXPECT_THAT(executive->stuck_mark().text(0),
              testing::StartsWith("driver 'pulse' did not return from wait() within"));
}

TEST_F(UnendedFrame, OfAClockItsDriverIsNotBlamedWhereMainHadNoCpu) {
  make();
  executive->stuck_mark().mark_call("driver 'pulse' did not return from wait()", rtsync::StuckBy::no_cpu);
  EXPECT_THAT(executive->stuck_mark().text(0),
              testing::AllOf(testing::StartsWith("thread 'main' had no CPU while it waited for an edge for "),
                             testing::Not(testing::HasSubstr("pulse"))));
}

TEST_F(UnendedFrame, AThreadThatSleepsIsBlockedInItsCall) {
  rtsync::ThreadLook look;
  look.asleep = 10;
  look.blocks = 1;
  look.call = SYS_fsync;
  const FrameNote note = note_of(look);
  EXPECT_EQ(note.overrun.cause, Cause::blocked);
  ASSERT_TRUE(note.overrun.evidence.switches.has_value());
  EXPECT_EQ(note.overrun.evidence.switches->blocked, 2001ms) << "it was never seen awake";
  EXPECT_EQ(note.overrun.evidence.switches->blocks, 1U);
  EXPECT_EQ(note.overrun.evidence.switches->call, SYS_fsync);
}

TEST_F(UnendedFrame, OfAThreadThatWasSeenAwakeTheTimeItSleptCounts) {
  rtsync::ThreadLook look;
  look.asleep = 6;
  look.ready = 4;
  look.slept = 60ms;
  const FrameNote note = note_of(look);
  EXPECT_EQ(note.overrun.evidence.switches->blocked, 60ms);
}

}  // namespace
}  // namespace tactus::executive::unended_frame_test
