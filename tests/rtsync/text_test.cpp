// SPDX-License-Identifier: Apache-2.0
#include "rtsync/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactus::rtsync::text_test {
namespace {

TEST(Text, FitsAPatternAsAWhole) {
  struct Row {
    const char* text;
    const char* pattern;
    bool fits;
  };
  const Row rows[] = {{"motor.speed", "motor.speed", true},
                      {"motor.speed", "motor", false},
                      {"motor.speed", "motor.*", true},
                      {"motor.", "motor.*", true},
                      {"motor.speed", "*speed", true},
                      {"motor.speed2", "*speed", false},
                      {"motor.speed", "*o*o*d", true},
                      {"motor.speed", "m?tor.spee?", true},
                      {"motor.speed", "motor.speed?", false},
                      {"a*b", "a*b", true},
                      {"axb", "a*b", true},
                      {"a*", "a?", true},
                      {"", "", true},
                      {"", "**", true},
                      {"a", "", false}};
  for (const Row& row : rows)
    EXPECT_EQ(fits_pattern(row.text, row.pattern), row.fits) << row.text << " " << row.pattern;
  EXPECT_FALSE(fits_pattern(std::string(2000, 'a'), "*a*a*a*a*b")) << "in a moment";
}

}  // namespace
}  // namespace tactus::rtsync::text_test
