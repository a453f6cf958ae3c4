// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tactus::drivers::gpio::text_test {
namespace {

TEST(GpioText, ShowsWhatLooksLikeABlank) {
  EXPECT_EQ(in_quotes("pins"), "'pins'");
  EXPECT_EQ(in_quotes("gpio\u00a0chip0"), "'gpio\\u00a0chip0'");
  EXPECT_EQ(in_quotes("pins\u2019"), "'pins\\u2019'");
  EXPECT_EQ(in_quotes("T\u00fcr"), "'T\u00fcr'") << "a letter is a letter";
  EXPECT_EQ(in_quotes("cut \xe2\x80"), "'cut \xe2\x80'");
}

TEST(GpioText, HintsAtTheNearestName) {
  const std::vector<std::string> known = {"MOTOR_EN", "PPS_IN"};
  EXPECT_EQ(hint("PPS_NI", known), "did you mean 'PPS_IN'?");
  EXPECT_EQ(hint("DOOR", known), "known are 'MOTOR_EN', 'PPS_IN'");
}

TEST(GpioText, HasThreeDigitsInEachDuration) {
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1000), "1.00 us");
  EXPECT_EQ(duration_text(12'345), "12.3 us");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(20'000'000), "20.0 ms");
  EXPECT_EQ(duration_text(7'200'000'000'000), "7200 s");
  EXPECT_EQ(number_text(59.94005994), "59.9401");
}

}  // namespace
}  // namespace tactus::drivers::gpio::text_test
