// SPDX-License-Identifier: Apache-2.0
#include "executive/client/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace tactus::client::chart_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::size_t count_of(const std::vector<std::string>& lines, char c) {
  std::size_t count = 0;
  for (const std::string& line : lines)
    count += static_cast<std::size_t>(std::count(line.begin(), line.end(), c));
  return count;
}

TEST(Chart, DrawsALineFromLeastToGreatest) {
  Chart chart(5, kMs);
  for (int i = 0; i < 5; ++i) chart.add(i * kMs, i);
  EXPECT_EQ(chart.draw(5, true), (std::vector<std::string>{"    #", "   # ", "  #  ", " #   ", "#    "}));
  EXPECT_EQ(chart.least(), 0);
  EXPECT_EQ(chart.greatest(), 4);
  EXPECT_EQ(chart.newest(), 4);
}

TEST(Chart, MovesOnAndForgets) {
  Chart chart(3, kMs);
  for (int i = 0; i < 10; ++i) chart.add(i * kMs, i == 2 ? 100 : i);
  EXPECT_EQ(chart.greatest(), 9);
  EXPECT_EQ(chart.draw(3, true), (std::vector<std::string>{"  #", " # ", "#  "}));
}

TEST(Chart, KeepsASpikeOfOneFrameInItsColumnWhileItMovesOn) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    Chart chart(40, 10 * kMs);
    const int at = std::uniform_int_distribution<int>(500, 700)(random);
    for (int frame = 0; frame < 900; ++frame) {
      chart.add(frame * kMs, frame == at ? 50 : 0);
      if (frame < at) continue;
      EXPECT_EQ(chart.greatest(), 50);
      const auto lines = chart.draw(8, true);
      const std::size_t column = 39 - static_cast<std::size_t>(frame / 10 - at / 10);
      EXPECT_EQ(lines[0].find('#'), column);
      EXPECT_EQ(lines[0].rfind('#'), column);
    }
  }
}

TEST(Chart, DrawsBrailleWithEightDotsACharacter) {
  Chart chart(4, kMs);
  for (int i = 0; i < 4; ++i) chart.add(i * kMs, i == 3 ? 3 : 0);
  // Dots: three at the bottom; then a column from the bottom to the top.
  EXPECT_EQ(chart.draw(1, false), (std::vector<std::string>{"\u28c0\u2878"}));
}

TEST(Chart, LeavesAGapUnlessItIsToldToBridgeIt) {
  Chart gap(10, kMs), bridged(10, kMs, 4);
  for (Chart* const chart : {&gap, &bridged}) {
    chart->add(0, 1);
    chart->add(4 * kMs, 1);
    chart->add(9 * kMs, 1);
  }
  EXPECT_EQ(count_of(gap.draw(1, true), '#'), 3U);
  EXPECT_EQ(count_of(bridged.draw(1, true), '#'), 10U);
}

TEST(Chart, HoldsOutWhateverComes) {
  Chart chart(20, kMs);
  EXPECT_TRUE(chart.empty());
  EXPECT_EQ(count_of(chart.draw(4, true), '#'), 0U);
  for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan(""), 1.7e308, -1.7e308, 0.0})
    chart.add(5 * kMs, value);
  EXPECT_EQ(chart.not_finite(), 3U);
  EXPECT_EQ(count_of(chart.draw(4, true), '#'), 4U);
  chart.add(-5 * kMs, 1);  // before the first frame
  chart.add(INT64_MAX, 2);
  EXPECT_EQ(chart.greatest(), 2);
  chart.clear();
  EXPECT_TRUE(chart.empty());
}

TEST(NumberText, LosesDigitsBeforeItLosesItsExponent) {
  EXPECT_EQ(number_text(8'388'180, 10), "8.3882e+06") << "8.4 ms in nanoseconds: cut it were 8.38818e+0";
  EXPECT_EQ(number_text(-8'388'180, 10), "-8.388e+06");
  EXPECT_EQ(number_text(-1.23456e-300, 10), "-1.23e-300");
  EXPECT_EQ(number_text(123456, 10), "123456");
  EXPECT_EQ(number_text(0.00838818, 10), "0.00838818");
}

TEST(NumberText, KeepsTheMagnitudeOfEveryNumberInAnyWidth) {
  for (const double value : {1e-300, -1e-300, 1.23456e-300, -1.23456e-5, 1e9, 8'388'180.0, 123456789.0, -0.0,
                             5e-324, 1e307, -1e307})
    for (std::size_t width = 7; width <= 16; ++width) {
      const std::string text = number_text(value, width);
      EXPECT_LE(text.size(), width) << value;
      const double read = std::strtod(text.c_str(), nullptr);
      EXPECT_LE(std::abs(read / 2 - value / 2), std::abs(value / 2) * 0.5) << text << " for " << value;
    }
  EXPECT_EQ(number_text(NAN, 7), "nan");
  EXPECT_EQ(number_text(-HUGE_VAL, 7), "-inf");
}

TEST(ValueText, CutsNoNumberAndMarksWhatItCuts) {
  EXPECT_EQ(value_text("-9223372036854775808", 24), "-9223372036854775808");
  EXPECT_EQ(value_text("-9223372036854775808", 16), "-9.223372037e+18") << "cut it were another number";
  EXPECT_EQ(value_text("1764416000000000000", 16), "1.764416e+18");
  EXPECT_EQ(value_text("1764416000123000000", 16), "1.7644160001e+18") << "its seconds are seen to go on";
  EXPECT_EQ(value_text("0.3333333333333333", 12), "0.3333333333");
  EXPECT_EQ(value_text("-1.23457e-300", 12), "-1.2346e-300");
  EXPECT_EQ(value_text("[1, 2, 3, 4, 5]", 9), "[1, 2,...");
  EXPECT_EQ(value_text("\u00b5m\u00b5m", 4), "\u00b5m\u00b5m");
}

TEST(NamedValue, ShortensTheNameBeforeTheValue) {
  EXPECT_EQ(named_value("motor.speed", "8.38818e+06 rad/s", 40), "motor.speed  8.38818e+06 rad/s");
  EXPECT_EQ(named_value("motor.speed", "8.38818e+06 rad/s", 28), "motor....  8.38818e+06 rad/s");
  EXPECT_EQ(named_value("motor.speed", "8.38818e+06 rad/s", 22), "8.38818e+06 rad/s") << "no room for a name";
}

TEST(Fitted, CountsCharactersNotBytes) {
  EXPECT_EQ(fitted("\u00b5m", 4), "\u00b5m  ");
  EXPECT_EQ(fitted("\u00b5m", 4, true), "  \u00b5m");
  EXPECT_EQ(fitted("abcdef", 3), "abc");
  EXPECT_EQ(fitted("\u2502\u2502\u2502", 2), "\u2502\u2502");
}

}  // namespace
}  // namespace tactus::client::chart_test
