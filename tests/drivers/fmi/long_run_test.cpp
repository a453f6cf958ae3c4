// SPDX-License-Identifier: Apache-2.0
/// Steps after those that are watched: they set, step and get, and look at nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/fmi/one_unit.hpp"

namespace tactus::drivers::fmi::long_run_test {
namespace {

using test::OneUnit;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kLate = 40;

class FmiLongRun : public testing::TestWithParam<const char*> {};

TEST_P(FmiLongRun, StillTakesWhatTheUnitAnswers) {
  constexpr std::pair<int, const char*> kModes[] = {
      {1, "answers Discard to DoStep"}, {2, "answers Error to DoStep"}, {3, "answers Fatal to DoStep"}};
  for (const auto& [mode, says] : kModes) {
    OneUnit unit(GetParam(), "on_error: hold\non_discard: hold");
    unit.value<std::int32_t>("mode") = mode;
    unit.value<std::int32_t>("at") = kLate;
    unit.start();
    for (int i = 0; i < kLate; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 0);
    EXPECT_THAT(unit.messages(), IsEmpty()) << "no lag: it is asked in the first steps alone, or has none";
    for (int i = 0; i < 3; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 1);
    EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), kLate) << "it is not stepped again";
    EXPECT_THAT(unit.messages(), Contains(HasSubstr(says)));
  }
}

TEST_P(FmiLongRun, SeesTheEndAndBeginsAnew) {
  OneUnit unit(GetParam(), "on_end: hold");
  unit.value<std::int32_t>("mode") = 5;
  unit.value<std::int32_t>("at") = kLate;
  unit.start();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kLate + 4; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<std::int32_t>("unit_status"), 2);
    EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), kLate + 1);
    ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
    ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    EXPECT_EQ(unit.value<std::int64_t>("unit_steps"), 0);
  }
}

TEST_P(FmiLongRun, ComesBackToAStateOfBefore) {
  OneUnit unit(GetParam());
  unit.start();
  for (int i = 0; i < 30; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  ASSERT_EQ(unit.run("save"), 0) << unit.failure();
  const auto kept = unit.image();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  const double x = unit.value<double>("x");
  unit.put(kept);
  ASSERT_EQ(unit.run("restore"), 0) << unit.failure();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  EXPECT_EQ(unit.value<double>("x"), x);
}

INSTANTIATE_TEST_SUITE_P(Both, FmiLongRun, testing::Values("two", "three"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::drivers::fmi::long_run_test
