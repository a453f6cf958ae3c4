// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/fmi/one_unit.hpp"

namespace tactus::drivers::fmi::start_values_test {
namespace {

using test::refusal_of;
using ::testing::HasSubstr;

TEST(FmiStartValues, AreRefusedOutsideOfTheUnitsLimits) {
  const std::pair<const char*, const char*> rows[] = {
      {"level: 11", "start.level: 11 is outside of the unit's limits, -2 .. 10"},
      {"level: -3", "start.level: -3 is outside of the unit's limits, -2 .. 10"},
      {"level: 3000000000", "start.level: 3000000000 does not fit its type, Int32"},
      {"share: 1.5", "start.share: 1.5 is outside of the unit's limits, 0 .. 1"},
      {"short: 1e39", "start.short: 1e39 does not fit its type, Float32"},
      {"kind: 3", "start.kind: 3 is not a value of the enumeration: park (2), drive (7)"},
      {"kind: reverse", "start.kind: 'reverse' is not a value of the enumeration: park (2), drive (7)"},
      {"huge: -1", "start.huge: -1 does not fit its type, UInt64"}};
  for (const auto& [start, says] : rows)
    EXPECT_THAT(refusal_of("three", "start: { " + std::string(start) + " }"), HasSubstr(says));
  for (const char* const start : {"level: 10", "level: -2", "share: 1", "kind: drive", "kind: 7",
                                  "short: 3e38", "huge: 18446744073709551615"})
    EXPECT_EQ(refusal_of("three", "start: { " + std::string(start) + " }"), "") << start;
}

}  // namespace
}  // namespace tactus::drivers::fmi::start_values_test
