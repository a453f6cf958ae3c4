// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/clock_cost.hpp"

#include <gtest/gtest.h>

namespace tactus::rtsync::clock_cost_test {
namespace {

/// Counts its readings; a reading takes 25 ns, and every so many of them 4 ms more.
struct SlowNowAndThen {
  int every;
  int readings = 0;
  TimePoint<MonotonicTime> time{};

  TimePoint<MonotonicTime> operator()() {
    time += Nanoseconds{25};
    if (++readings % every == 0) time += Nanoseconds{4'000'000};
    return time;
  }
};

TEST(ClockCost, IsThatOfOneReading) { EXPECT_EQ(cost_of_reading(SlowNowAndThen{1 << 30}), Nanoseconds{25}); }

/// Calls of the heap were thought to take microseconds longer, where the thread had lost its CPU while this was measured.
TEST(ClockCost, IsThatOfAReadingThatNothingInterruptsThoughMostTriesAreInterrupted) {
  EXPECT_EQ(cost_of_reading(SlowNowAndThen{22}), Nanoseconds{25});
}

}  // namespace
}  // namespace tactus::rtsync::clock_cost_test
