// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tactus/time_histogram.hpp>

namespace tactus::time_histogram_test {
namespace {

TEST(TimeHistogram, OfNothingIsEmpty) {
  const TimeHistogram none;
  MeasuredHistogram shown;
  none.fill(shown);
  EXPECT_EQ(shown.count, 0U);
  EXPECT_TRUE(shown.classes.empty());
  EXPECT_EQ(none.quantile(0.5), 0);
}

TEST(TimeHistogram, SaysOfEachTimeAtMostAQuarterTooMuch) {
  for (std::int64_t time = 0; time < std::numeric_limits<std::int64_t>::max() / 16; time = time * 9 / 8 + 1) {
    TimeHistogram one;
    one.add(time);
    MeasuredHistogram shown;
    one.fill(shown);
    ASSERT_EQ(shown.classes.size(), 1U);
    const double seconds = static_cast<double>(time) * 1e-9;
    EXPECT_GE(shown.classes[0].end, seconds) << time;
    EXPECT_LE(shown.classes[0].end, seconds * 1.25) << time;
    EXPECT_EQ(one.quantile(0.5), time) << "no more than the longest";
  }
}

TEST(TimeHistogram, HasClassesByTheirEndsAndQuantiles) {
  TimeHistogram times;
  for (int i = 0; i < 98; ++i) times.add(3);
  times.add(1'000'000);
  times.add(-5);
  MeasuredHistogram shown;
  times.fill(shown);
  EXPECT_EQ(shown.unit, "s");
  EXPECT_EQ(shown.count, 100U);
  EXPECT_EQ(shown.longest, 1e-3);
  ASSERT_EQ(shown.classes.size(), 3U);
  EXPECT_EQ(shown.classes[0].count, 1U) << "below 0 counts as 0";
  EXPECT_EQ(shown.classes[1].count, 98U);
  EXPECT_EQ(times.quantile(0.5), 3);
  EXPECT_EQ(times.quantile(0.995), 1'000'000);
}

}  // namespace
}  // namespace tactus::time_histogram_test
