// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/rtsync/support/sim_edges.hpp"

namespace tactus::rtsync::edge_loop_test {
namespace {

constexpr std::int64_t kPeriod = 1'000'000;

/// Steers by the edges n of a source of this rate and phase, from the first one on. Returns the last error.
double steer(EdgeLoop& loop, std::int64_t first, std::int64_t count, double rate, std::int64_t phase) {
  double error = 0;
  for (std::int64_t n = first; n < first + count; ++n) {
    const std::int64_t stamp = std::llround(static_cast<double>(n * kPeriod) * (1 + rate)) + phase;
    error = loop.error_of(n, stamp);
    loop.steer(n, stamp, error, false);
    loop.follow(stamp, false);
  }
  return error;
}

TEST(EdgeLoop, LearnsRateAndPhase) {
  const EdgeGrid grid{{}};
  const unsigned seed = any_seed();
  SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
  std::mt19937 random{seed};
  for (int i = 0; i < 100; ++i) {
    const double rate = std::uniform_real_distribution<double>{-9e-4, 9e-4}(random);
    const auto phase = static_cast<std::int64_t>(random() % 100'000) - 50'000;
    EdgeLoop loop{grid};
    loop.begin(0, 0, 0, 0);
    ASSERT_LT(std::abs(steer(loop, 1, 1500, rate, phase)), 5);
    ASSERT_NEAR(loop.rate(), rate, 1e-7);
    ASSERT_NEAR(loop.frequency_ppm(), -rate * 1e6, 1.5);
    const Moment told = loop.seen().at(1500 * kPeriod);
    const double truth = 1500 * kPeriod * (1 + rate) + static_cast<double>(phase);
    ASSERT_NEAR(static_cast<double>(told.whole) + told.part, truth, 20) << "what callers see has come along";
  }
}

TEST(EdgeLoop, MovesItsPhaseByTheSlewAtMost) {
  const EdgeGrid grid{{}};  // slew 1e-3: 1 us per edge
  for (const std::int64_t off : {90'000, -90'000}) {
    const double step = off > 0 ? 1'000 : -1'000;
    EdgeLoop loop{grid};
    loop.begin(0, 0, 0, 0);
    for (std::int64_t n = 1; n <= 20; ++n) {
      const double error = loop.error_of(n, n * kPeriod + off);
      EXPECT_NEAR(error, static_cast<double>(off) - step * static_cast<double>(n - 1), 1e-3);
      loop.steer(n, n * kPeriod + off, error, false);
      EXPECT_EQ(loop.rate(), 0) << "of a phase that is limited nothing is learnt";
    }
  }
}

TEST(EdgeLoop, ARateBeyondTheToleranceIsNotLearnt) {
  const EdgeGrid grid{{}};
  EdgeLoop loop{grid};
  loop.begin(0, 0, 0, 0);
  (void)steer(loop, 1, 2000, 1.5e-3, 0);
  EXPECT_EQ(loop.rate(), 1e-3);
}

TEST(EdgeLoop, TakesThePhaseAtOnceWhenTold) {
  const EdgeGrid grid{{}};
  EdgeLoop loop{grid};
  loop.begin(0, 0, 0, 0);
  loop.steer(1, kPeriod + 70'000, 70'000, true);
  EXPECT_EQ(loop.seen().at(kPeriod).whole, kPeriod) << "not before it follows";
  loop.follow(kPeriod + 80'000, true);
  EXPECT_EQ(loop.seen().at(kPeriod).whole, kPeriod + 70'000);
}

TEST(EdgeLoop, IsSettledAfterEnoughGoodEdgesInARow) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings;  // lock_after 8, jitter limit 100 us
    settings.discipline = discipline;
    const EdgeGrid grid{settings};
    EdgeLoop loop{grid};
    loop.begin(0, 0, 0, 0);
    loop.begin_settling(0);
    for (int i = 0; i < 7; ++i) EXPECT_FALSE(loop.acquired(9'000, i * kPeriod));
    EXPECT_FALSE(loop.acquired(100'001, 7 * kPeriod)) << "begins anew";
    for (int i = 0; i < 7; ++i) EXPECT_FALSE(loop.acquired(0, i * kPeriod));
    EXPECT_EQ(loop.acquired(0, 8 * kPeriod), true) << "the error's mean is below a tenth of the limit again";
    loop.begin_settling(50'000);
    for (int i = 0; i < 9; ++i) (void)loop.acquired(50'000, i * kPeriod);
    EXPECT_EQ(loop.acquired(50'000, 9 * kPeriod), discipline == Discipline::pll) << "phase would be taken";
  }
}

TEST(EdgeLoop, EdgesBeforeItBeganToSettleDoNotCount) {
  const EdgeGrid grid{{}};  // lock_after 8
  EdgeLoop loop{grid};
  loop.begin(0, 0, 0, 0);
  loop.begin_settling(0);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(loop.acquired(0, i * kPeriod));
  loop.begin_settling(0);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(loop.acquired(0, i * kPeriod));
  EXPECT_TRUE(loop.acquired(0, 8 * kPeriod));
}

}  // namespace
}  // namespace tactus::rtsync::edge_loop_test
