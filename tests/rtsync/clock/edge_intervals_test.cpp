// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_intervals.hpp"

#include <gtest/gtest.h>

namespace tactus::rtsync::edge_intervals_test {
namespace {

constexpr std::int64_t kPeriod = 1'000'000;  // jitter_limit is 100 us, lock_after 8

struct Stream {
  EdgeGrid grid{{}};
  EdgeIntervals intervals{grid};
  std::int64_t now = 0;

  std::optional<double> after(std::int64_t interval) { return intervals.add(now += interval); }
  /// How many edges of that interval until they are wrong; 0: never.
  int wrong_after(std::int64_t interval) {
    for (int i = 1; i <= 1000; ++i)
      if (after(interval)) return i;
    return 0;
  }
};

TEST(EdgeIntervals, EqualOnesOfAnotherLengthAreWrong) {
  for (const std::int64_t interval : {333'333, 500'000, 833'333, 1'200'000, 2'000'000, 10'000'000}) {
    Stream edges;
    EXPECT_EQ(edges.wrong_after(interval), 33) << interval << ": 32 intervals";
    EXPECT_TRUE(edges.intervals.wrong());
  }
}

TEST(EdgeIntervals, ALittleOffIsLeftToTheMeanRate) {
  // After 32 edges jitter is worth 4 * 100 us / 32 ms.
  EXPECT_EQ(Stream().wrong_after(kPeriod), 0);
  EXPECT_EQ(Stream().wrong_after(kPeriod * 1013 / 1000), 0);
  EXPECT_EQ(Stream().wrong_after(kPeriod * 1015 / 1000), 33);
}

TEST(EdgeIntervals, AreToldOnceAndForgottenWhenTheyAreRightAgain) {
  Stream edges;
  ASSERT_EQ(edges.wrong_after(500'000), 33);
  EXPECT_EQ(edges.wrong_after(500'000), 0) << "once";
  EXPECT_TRUE(edges.intervals.wrong());
  (void)edges.after(kPeriod);  // an interval longer than the row's counts for nothing ...
  (void)edges.after(700'000);
  (void)edges.after(400'000);  // ... a shorter one begins anew
  EXPECT_TRUE(edges.intervals.wrong());
  (void)edges.after(1'700'000);
  edges.intervals.skip();
  (void)edges.after(0);
  for (int i = 0; i < 100 && edges.intervals.wrong(); ++i) {
    (void)edges.after(300'000);
    (void)edges.after(kPeriod - 300'000);
  }
  EXPECT_TRUE(edges.intervals.wrong()) << "a glitch in each: no row at all";
}

TEST(EdgeIntervals, OnesThatAreMissingAndDoublesDoNotMatter) {
  Stream right;
  Stream wrong;
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(right.after(i % 3 == 0 ? 2 * kPeriod : kPeriod));
    EXPECT_FALSE(right.after(20'000)) << "a double";
    right.now -= 20'000;
    told += wrong.after(i % 3 == 0 ? 1'000'000 : 500'000) ? 1 : 0;
  }
  EXPECT_FALSE(right.intervals.wrong());
  EXPECT_EQ(told, 1);
}

TEST(EdgeIntervals, ThatNobodySawAreNone) {
  Stream edges;
  for (int i = 0; i < 200; ++i) {
    edges.intervals.skip();
    EXPECT_FALSE(edges.after(500'000));
  }
  EXPECT_FALSE(edges.intervals.wrong());
}

}  // namespace
}  // namespace tactus::rtsync::edge_intervals_test
