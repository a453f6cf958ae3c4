// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "rtsync/clock/edge_faults.hpp"
#include "rtsync/clock/edge_rate_check.hpp"

/// The judge of faults, and the check of the rate, without a clock.
namespace tactus::rtsync::edge_judge_test {
namespace {

constexpr std::int64_t kPeriod = 1'000'000;

struct Judge {
  explicit Judge(const EdgeClockSettings& settings) : grid(settings) {}
  EdgeClockStatus status;
  EdgeGrid grid;
  EdgeNumbers numbers{status};
  EdgeFaults faults{grid, numbers, status};
};

EdgeClockSettings with(ClockFault fault, OnClockFault action) {
  EdgeClockSettings settings;
  settings.on[static_cast<std::size_t>(fault)] = action;
  return settings;
}

TEST(EdgeFaults, TheFirstOfTheGravestIsKept) {
  EdgeClockSettings settings = with(ClockFault::glitch, OnClockFault::freeze);
  settings.on[static_cast<std::size_t>(ClockFault::late)] = OnClockFault::freeze;
  settings.on[static_cast<std::size_t>(ClockFault::gone)] = OnClockFault::terminate;
  Judge judge{settings};
  judge.faults.add(ClockFault::jitter);
  EXPECT_FALSE(judge.faults.take()) << "free_run";
  judge.faults.add(ClockFault::glitch, 300'000.4);
  judge.faults.add(ClockFault::late);
  EXPECT_EQ(judge.faults.take()->fault, ClockFault::glitch);
  judge.faults.add(ClockFault::glitch, 300'000.4);
  judge.faults.add_gone(19);
  const auto reaction = judge.faults.take();
  ASSERT_TRUE(reaction);
  EXPECT_EQ(reaction->fault, ClockFault::gone);
  EXPECT_EQ(reaction->error, 19);
  EXPECT_FALSE(reaction->had_edge);
  EXPECT_EQ(reaction->since_edge, Nanoseconds{0});
  EXPECT_FALSE(judge.faults.take());
}

TEST(EdgeFaults, SaysWhatWasKnown) {
  Judge judge{with(ClockFault::wrong_rate, OnClockFault::terminate)};
  judge.numbers.accept(5, 5 * kPeriod);
  judge.numbers.fed(7 * kPeriod);
  judge.status.consecutive_missing = 2;
  judge.faults.add_wrong_rate(999'000.5);
  const auto reaction = judge.faults.take();
  ASSERT_TRUE(reaction);
  EXPECT_TRUE(reaction->had_edge);
  EXPECT_EQ(reaction->since_edge, Nanoseconds{2 * kPeriod});
  EXPECT_EQ(reaction->missing_in_row, 2);
  EXPECT_EQ(reaction->measured_period, 999'000.5);
}

TEST(EdgeFaults, ASecondEdgeIsADoubleUpToTheJitterLimit) {
  Judge judge{{}};  // 100 us
  EXPECT_FALSE(judge.faults.add_extra(100'000));
  EXPECT_FALSE(judge.faults.add_extra(-100'000));
  EXPECT_TRUE(judge.faults.add_extra(100'001));
  EXPECT_TRUE(judge.faults.add_extra(-100'001));
  EXPECT_EQ(judge.status.faults[static_cast<std::size_t>(ClockFault::doubled)], 2);
  EXPECT_EQ(judge.status.faults[static_cast<std::size_t>(ClockFault::glitch)], 2);
}

TEST(EdgeFaults, AfterAFreezeALostClockAsksAgainWhenAsManyMoreAreMissing) {
  Judge judge{with(ClockFault::missing, OnClockFault::freeze)};  // max_missing 10
  judge.faults.add(ClockFault::missing);
  judge.faults.missing_while_lost(100);
  judge.faults.resumed(true);
  EXPECT_FALSE(judge.faults.take()) << "forgotten";
  judge.faults.missing_while_lost(4);
  judge.faults.missing_while_lost(5);
  EXPECT_FALSE(judge.faults.take());
  judge.faults.missing_while_lost(1);
  EXPECT_EQ(judge.faults.take()->fault, ClockFault::missing);
  judge.faults.missing_while_lost(100);
  EXPECT_FALSE(judge.faults.take()) << "once";
  EXPECT_EQ(judge.status.faults[static_cast<std::size_t>(ClockFault::missing)], 1) << "it is the same fault";
  for (const bool locks : {true, false}) {
    judge.faults.resumed(locks);
    if (locks) judge.faults.locked();
    judge.faults.missing_while_lost(100);
    EXPECT_FALSE(judge.faults.take());
  }
}

TEST(EdgeRateCheck, MeasuresTheMeanOverASpan) {
  // 100 us of jitter are worth half of 0.1 % over 400 edges; 1.5 times the tolerance is wrong.
  for (const std::int64_t more : {1'499, 1'501}) {
    for (const std::int64_t sign : {-1, 1}) {
      const EdgeGrid grid{{}};
      EdgeRateCheck check{grid};
      const std::int64_t period = kPeriod + sign * more;
      for (std::int64_t n = 0; n < 400; ++n) ASSERT_FALSE(check.by_mean(n, n * period));
      const auto measured = check.by_mean(400, 400 * period);
      ASSERT_EQ(measured.has_value(), more > 1'500);
      if (measured) {
        EXPECT_NEAR(*measured, static_cast<double>(period), 1e-3);
      }
      EXPECT_FALSE(check.by_mean(401, 401 * period)) << "a span begins anew";
    }
  }
}

TEST(EdgeRateCheck, ARestartForgetsWhereTheSpanBegan) {
  const EdgeGrid grid{{}};
  EdgeRateCheck check{grid};
  EXPECT_FALSE(check.by_mean(0, 0));
  check.restart_mean();
  EXPECT_FALSE(check.by_mean(500, 600 * kPeriod));
}

}  // namespace
}  // namespace tactus::rtsync::edge_judge_test
