// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::fmi::start_values_test {
namespace {

using test::refusal_of;

TEST(FmiStartValues, AreRefusedOutsideOfTheUnitsLimits) {
  tactus::test::Snapshot texts;
  const char* const rows[] = {"level: 11",   "level: -3", "level: 3000000000", "share: 1.5",
                              "short: 1e39", "kind: 3",   "kind: reverse",     "huge: -1"};
  for (const char* const start : rows)
    texts.add(refusal_of("three", "start: { " + std::string(start) + " }"), start);
  for (const char* const start : {"level: 10", "level: -2", "share: 1", "kind: drive", "kind: 7",
                                  "short: 3e38", "huge: 18446744073709551615"})
    EXPECT_EQ(refusal_of("three", "start: { " + std::string(start) + " }"), "") << start;
}

}  // namespace
}  // namespace tactus::drivers::fmi::start_values_test
