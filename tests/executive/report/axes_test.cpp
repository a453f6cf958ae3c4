// SPDX-License-Identifier: Apache-2.0
#include "executive/report/axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

namespace tactus::report::axes_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> all;
  for (const Tick& tick : axis.ticks) all.push_back(tick.label);
  return all;
}

TEST(Texts, AreShortAndHaveTheirUnits) {
  EXPECT_EQ(time_text(12), "12 ns");
  EXPECT_EQ(time_text(12'345), "12.3 \u00b5s");
  EXPECT_EQ(time_text(-2'500'000), "-2.50 ms");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(36'000), "36 000");
  EXPECT_EQ(count_text(-1'234'567), "-1 234 567");
  EXPECT_EQ(counted(1, "frame"), "1 frame");
  EXPECT_EQ(counted(2000, "frame"), "2 000 frames");
  EXPECT_EQ(counted(0, "frame"), "0 frames");
}

TEST(Texts, SharesKeepTheDigitsThatMatter) {
  const std::pair<double, const char*> rows[] = {
      {0, "0 %"},        {-1, "0 %"},         {1, "100 %"},     {0.99999999, "100 %"}, {0.99996, "99.996 %"},
      {0.5, "50 %"},     {0.0995, "10 %"},    {0.05, "5.0 %"},  {0.005, "0.50 %"},     {0.0004, "0.04 %"},
      {30e-6, "30 ppm"}, {1e-9, "0.001 ppm"}, {1.004, "100 %"}, {1.76, "176 %"},       {30.1, "3010 %"}};
  for (const auto& [share, text] : rows) EXPECT_EQ(share_text(share), text) << share;
}

TEST(TimeAxis, GoesFromOnePowerOfTenToAnother) {
  const Axis axis = time_axis(300, 45'000);
  EXPECT_EQ(axis.scale, Scale::log);
  EXPECT_LE(axis.from, 300);
  EXPECT_GE(axis.to, 45'000);
  EXPECT_THAT(labels(axis), ElementsAre("100 ns", "1 \u00b5s", "10 \u00b5s", "100 \u00b5s"));
  const Axis point = time_axis(0, 0);
  EXPECT_LT(point.from, point.to) << "of one value, too";
}

TEST(SlackAxis, HasZeroAndBothSides) {
  const Axis axis = slack_axis(-2'500'000, 900'000, 1'000'000);
  EXPECT_EQ(axis.scale, Scale::symmetric_log);
  EXPECT_EQ(axis.knee, 10'000);
  EXPECT_EQ(axis.from, -10'000'000);
  EXPECT_EQ(axis.to, 1'000'000);
  EXPECT_EQ(place_on(axis, -10'000'000), 0);
  EXPECT_EQ(place_on(axis, 1'000'000), 1);
  EXPECT_LT(place_on(axis, -1000), place_on(axis, 0));
  EXPECT_LT(place_on(axis, 0), place_on(axis, 1000));
  EXPECT_EQ(slack_axis(5, 900'000, 1'000'000).from, 0) << "nothing is below it";
  EXPECT_GT(slack_axis(-5, -3, 1'000'000).to, 0);
}

TEST(LinearAxis, HasRoundTicksWithTheUnit) {
  EXPECT_THAT(labels(linear_axis(0, 10, "V")), ElementsAre("0 V", "2 V", "4 V", "6 V", "8 V", "10 V"));
  EXPECT_THAT(labels(linear_axis(-1, 1, "")), ElementsAre("-0.8", "-0.4", "0", "0.4", "0.8"));
  // Constants: from 0 to twice the value, whatever its size, and round 0 where there is none.
  EXPECT_THAT(labels(linear_axis(5, 5, "m")), ElementsAre("0 m", "2 m", "4 m", "6 m", "8 m", "10 m"));
  EXPECT_THAT(labels(linear_axis(-5, -5, "")), ElementsAre("-10", "-8", "-6", "-4", "-2", "0"));
  EXPECT_THAT(labels(linear_axis(0, 0, "V")), ElementsAre("-0.8 V", "-0.4 V", "0 V", "0.4 V", "0.8 V"));
  EXPECT_THAT(labels(linear_axis(5, std::nextafter(5, 6), "")), ElementsAre("0", "2", "4", "6", "8", "10"))
      << "noise of the last bit is no change";
  for (const double value : {1e-300, 1e-9, 1e6, 1.7e9, 1e300})
    for (const double sign : {-1.0, 1.0}) {
      const Axis axis = linear_axis(sign * value, sign * value, "");
      EXPECT_GE(axis.ticks.size(), 4U) << value;
      EXPECT_GT(place_on(axis, sign * value), 0.2) << value;
      EXPECT_LT(place_on(axis, sign * value), 0.8) << value;
    }
  // Small changes of large values: no two ticks have the same label.
  for (const double span : {1e-3, 1e-6, 1e-9}) {
    const auto texts = labels(linear_axis(20, 20 + span, "rad"));
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size()) << span;
  }
  const double huge = std::numeric_limits<double>::max();
  const Axis all = linear_axis(-huge, huge, "");
  EXPECT_TRUE(std::isfinite(all.from) && std::isfinite(all.to));
}

TEST(RunAxis, IsExactlyTheRun) {
  const Axis axis = run_axis(2'000'000'000, 12'000'000'000);
  EXPECT_EQ(axis.from, 2);
  EXPECT_EQ(axis.to, 12);
  EXPECT_THAT(labels(axis), ElementsAre("2 s", "4 s", "6 s", "8 s", "10 s", "12 s"));
  EXPECT_LT(run_axis(7, 7).from, run_axis(7, 7).to) << "of a run of one moment, too";
}

TEST(ShareAxis, GoesDownToOneFrame) {
  const Axis axis = share_axis(3000);
  EXPECT_EQ(axis.to, 1);
  EXPECT_NEAR(axis.from, 1e-4, 1e-12);
  EXPECT_THAT(labels(axis), ElementsAre("0.01 %", "0.1 %", "1 %", "10 %", "all"));
  EXPECT_THAT(labels(share_axis(3'000'000)).front(), "0.1 ppm");
  EXPECT_NEAR(share_axis(0).from, 0.1, 1e-12);
}

TEST(CountAxis, BeginsBelowOne) {
  const Axis axis = count_axis(2500);
  EXPECT_EQ(axis.from, 0.5);
  EXPECT_THAT(labels(axis), ElementsAre("1", "10", "100", "1 000"));
  EXPECT_GE(count_axis(0).to, 10);
}

TEST(PlaceOn, EveryAxisGoesUpAndStaysWithinItsEnds) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-3e6, 3e6);
  for (const Axis& axis : {time_axis(100, 1'000'000), slack_axis(-2'000'000, 1'000'000, 1'000'000),
                           linear_axis(-1e6, 1e6, "V"), share_axis(1000), count_axis(500)}) {
    for (int i = 0; i < 1000; ++i) {
      double a = value(random);
      double b = value(random);
      if (a > b) std::swap(a, b);
      EXPECT_LE(place_on(axis, a), place_on(axis, b)) << a << " " << b;
      EXPECT_GE(place_on(axis, a), 0);
      EXPECT_LE(place_on(axis, b), 1);
    }
    for (const Tick& tick : axis.ticks) {
      EXPECT_GE(tick.at, axis.from * (axis.from < 0 ? 1.001 : 0.999) - 1e-12) << tick.label;
      EXPECT_LE(tick.at, axis.to * 1.001) << tick.label;
    }
  }
}

}  // namespace
}  // namespace tactus::report::axes_test
