// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/slack.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/sim_clock.hpp"

namespace tactus::executive::slack_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::SimClock;

class SlackTest : public ::testing::Test {
 protected:
  /// A frame of 1 ms whose jobs took so long; then work that takes so long, if it is done.
  bool frame(Nanoseconds jobs, Nanoseconds work) {
    const auto slot = clock.peek();
    clock.advance(jobs);
    slack.open(slot + 1ms);
    const bool done = slack.spend(cost, [&] { clock.advance(work); });
    clock.advance_to(slot + 1ms);
    return done;
  }

  SimClock clock;
  Slack slack{clock};
  SlackCost cost{400us};
};

TEST_F(SlackTest, WorkThatFitsIsDoneAtOnce) {
  EXPECT_TRUE(frame(500us, 400us));  // a quarter more than it takes has to be there
  EXPECT_EQ(slack.deferred(), 0);
}

TEST_F(SlackTest, WorkThatDoesNotFitWaitsForAFrameWithMoreAndIsCounted) {
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(frame(501us, 400us));
  EXPECT_EQ(slack.deferred(), 7);
  EXPECT_TRUE(frame(100us, 400us));
  EXPECT_EQ(slack.deferred(), 7);
}

TEST_F(SlackTest, WhatNeverFitsIsNeverDone) {
  for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(frame(900us, 400us));
  cost = SlackCost{10ms};
  for (int i = 0; i < 100'000; ++i) ASSERT_FALSE(frame(0us, 10ms));
  EXPECT_EQ(slack.deferred(), 200'000);
}

TEST_F(SlackTest, OneTimeThatTheMachineWasSlowDoesNotStopItForGood) {
  EXPECT_TRUE(frame(0us, 20ms)) << "the CPU was taken away";
  int waited = 0;
  while (!frame(100us, 400us)) ++waited;
  EXPECT_GT(waited, 1000);
  EXPECT_LT(waited, 5000) << "forgotten by a thousandth each time";
}

TEST_F(SlackTest, SaysWhatIsLeftAndWhetherThatIsEnough) {
  slack.open(clock.peek() + 500us);
  EXPECT_EQ(slack.left(), 500us);
  EXPECT_TRUE(slack.fits(cost));
  clock.advance(1us);
  EXPECT_FALSE(slack.fits(cost));
  slack.open_unlimited();
  EXPECT_EQ(slack.left(), std::nullopt);
  EXPECT_TRUE(slack.fits(cost));
}

TEST_F(SlackTest, TheCostIsTheLongestOfLate) {
  EXPECT_TRUE(frame(0us, 640us));
  EXPECT_EQ(cost.expected(), 640us);
  EXPECT_TRUE(frame(0us, 10us));
  EXPECT_EQ(cost.expected(), 600us) << "forgotten by a sixteenth";
}

TEST_F(SlackTest, WithoutASlotNothingWaitsAndNoClockIsRead) {
  slack.open_unlimited();
  const std::int64_t readings = clock.readings();
  EXPECT_TRUE(slack.spend(cost, [&] { clock.advance(10s); }));
  EXPECT_EQ(clock.readings(), readings);
  EXPECT_EQ(cost.expected(), 400us) << "it was not measured";
}

}  // namespace
}  // namespace tactus::executive::slack_test
