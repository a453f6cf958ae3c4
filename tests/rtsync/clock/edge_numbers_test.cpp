// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_numbers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rtsync/clock/edge_clock.hpp"
#include "tests/rtsync/support/sim_edges.hpp"

namespace tactus::rtsync::edge_numbers_test {
namespace {

using std::chrono_literals::operator""us;

TEST(EdgeNumbers, WhatCameLaterThanItWasGivenUpIsNotMissing) {
  EdgeClockStatus status;
  EdgeNumbers numbers{status};
  numbers.begin(10, EdgePassed::accepted);
  EXPECT_EQ(numbers.pass(13, EdgePassed::missing).missing, 3);
  EXPECT_EQ(status.missing, 3);
  EXPECT_EQ(numbers.pass(12, EdgePassed::rejected).missing, 0);
  EXPECT_EQ(status.missing, 2);
  EXPECT_EQ(numbers.pass(13, EdgePassed::accepted).missing, 0);
  EXPECT_EQ(status.missing, 1);
  EXPECT_EQ(numbers.pass(13, EdgePassed::rejected).missing, 0);
  EXPECT_EQ(status.missing, 1) << "the newest number has come already";
  EXPECT_EQ(status.consecutive_missing, 0);
  EXPECT_EQ(status.max_consecutive_missing, 3);
}

TEST(EdgeNumbers, AnEdgeThatIsReadAfterItWasGivenUpIsNotMissing) {
  for (const Nanoseconds off : {0us, 150us}) {  // accepted, and rejected
    SimKernel::now = SimKernel::kStart;
    EdgeClockStatus status;
    EdgeClock clock{{}, status, &SimKernel::read};
    SimEdges edges{{}};
    for (int i = 0; i < 20; ++i) clock.edge(edges.take());
    ASSERT_EQ(status.state, ClockState::locked);
    clock.advance(edges.next() + 600us);
    EXPECT_EQ(status.missing, 1);
    EXPECT_EQ(status.state, ClockState::holdover);
    clock.edge(edges.take() + off);
    EXPECT_EQ(status.missing, 0);
    EXPECT_EQ(status.edges, off == 0us ? 21 : 20);
    EXPECT_EQ(status.consecutive_missing, 0);
    EXPECT_EQ(status.max_consecutive_missing, 1);
  }
}

TEST(EdgeNumbers, NothingIsMissingBeforeTheyBeginAndWhileExcused) {
  EdgeClockStatus status;
  EdgeNumbers numbers{status};
  EXPECT_FALSE(numbers.passed(INT64_MIN));
  EXPECT_EQ(numbers.pass(7, EdgePassed::rejected).missing, 0) << "numbers begin with it";
  EXPECT_TRUE(numbers.passed(7));
  EXPECT_FALSE(numbers.passed(8));
  numbers.suspend(true);
  EXPECT_EQ(numbers.pass(20, EdgePassed::accepted).missing, 0);
  numbers.suspend(false);
  EXPECT_EQ(numbers.pass(22, EdgePassed::accepted).missing, 1);
  numbers.end();
  EXPECT_FALSE(numbers.begun());
  EXPECT_EQ(numbers.pass(90, EdgePassed::missing).missing, 0);
  EXPECT_EQ(status.missing, 1);
}

TEST(EdgeNumbers, EachNumberPassesOnceAndCameOrIsMissing) {
  const unsigned seed = any_seed();
  SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
  std::mt19937 random{seed};
  for (int run = 0; run < 200; ++run) {
    EdgeClockStatus status;
    EdgeNumbers numbers{status};
    numbers.begin(0, EdgePassed::accepted);
    std::int64_t n = 0, passed = 0, came = 0, in_row = 0, longest = 0;
    for (int i = 0; i < 100; ++i) {
      const auto step = 1 + static_cast<std::int64_t>(random() % 3);
      const auto how = static_cast<EdgePassed>(random() % 3);
      const bool comes = how != EdgePassed::missing;
      passed += numbers.pass(n += step, how).passed;
      came += comes ? 1 : 0;
      in_row += step - (comes ? 1 : 0);
      longest = std::max(longest, in_row);
      if (comes) in_row = 0;
      ASSERT_EQ(passed, n);
      ASSERT_EQ(status.missing, n - came);
      ASSERT_EQ(status.consecutive_missing, in_row);
      ASSERT_EQ(status.max_consecutive_missing, longest);
    }
  }
}

}  // namespace
}  // namespace tactus::rtsync::edge_numbers_test
