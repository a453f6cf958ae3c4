// SPDX-License-Identifier: Apache-2.0
/// What a model counts of its unit: rows of summary.json, report and page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/drivers/fmi/one_unit.hpp"

namespace tactus::drivers::fmi::measured_test {
namespace {

using executive::ModelHistogram;
using test::OneUnit;
using ::testing::HasSubstr;

ModelHistogram row_of(OneUnit& unit, const std::string& name) {
  for (const ModelHistogram& each : unit.model().histograms())
    if (each.name == name) return each;
  ADD_FAILURE() << "no row " << name;
  return {};
}
std::uint64_t share_of(const ModelHistogram& row, const std::string& cause) {
  for (const ModelHistogram::Share& each : row.shares)
    if (each.cause == cause) return each.count;
  ADD_FAILURE() << "no cause " << cause;
  return 0;
}

TEST(FmiMeasured, HasTheStepsOfAUnitAndWhatTheyLacked) {
  OneUnit unit("lagging3", "", 0.25);
  unit.start();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  const ModelHistogram row = row_of(unit, "step.lag");  // 0.2, 0.5, 0.7, 1.0
  EXPECT_EQ(row.count, 4U);
  EXPECT_EQ(row.unit, "s");
  EXPECT_NEAR(row.longest, 0.05, 1e-9);
  EXPECT_EQ(share_of(row, "own step"), 2U);
  ASSERT_EQ(row.classes.size(), 2U);
  EXPECT_EQ(row.classes[0].end, 0);
  EXPECT_EQ(row.classes[0].count, 2U);
  EXPECT_GE(row.classes[1].end, 0.05 - 1e-9);
  EXPECT_LE(row.classes[1].end, 0.05 * 1.25);
}

TEST(FmiMeasured, CountsDiscardsErrorsAndEnds) {
  const std::pair<int, const char*> rows[] = {{1, "discard"}, {2, "error"}, {5, "end"}};
  for (const auto& [mode, cause] : rows) {
    OneUnit unit("three", "on_discard: hold\non_error: hold\non_end: hold");
    unit.value<std::int32_t>("mode") = mode;
    unit.start();
    for (int i = 0; i < 6; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    const ModelHistogram row = row_of(unit, "step.lag");
    EXPECT_EQ(row.count, 4U) << "three good ones, and none after it";
    EXPECT_EQ(share_of(row, cause), 1U);
    EXPECT_NEAR(row.longest, mode == 5 ? 0 : 0.1, 1e-9) << "a step with which it asks for the end is whole";
  }
}

TEST(FmiMeasured, CountsErrorsAndEndsOfEvents) {
  const struct {
    int mode;
    double u;
    const char* cause;
    std::uint64_t count;
    double longest;
  } rows[] = {{2, 0, "error", 1, 0.1},    // never advances
              {5, 0, "error", 1, 0.1},    // goes back
              {4, 3.7, "error", 3, 0.1},  // an event fails in the second part of a step
              {3, 3.1, "end", 4, 0},      // an event asks for it
              {8, 0, "own step", 10, 0.01}};
  for (const auto& each : rows) {
    OneUnit unit("events", "event_mode: yes\non_error: hold\non_end: hold");
    unit.value<std::int32_t>("mode") = each.mode;
    unit.start();
    unit.value<double>("u") = each.u;
    for (int i = 0; i < 10; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
    const ModelHistogram row = row_of(unit, "step.lag");
    EXPECT_EQ(row.count, each.count) << each.mode;
    for (const ModelHistogram::Share& share : row.shares)
      EXPECT_EQ(share.count, share.cause == each.cause ? 1U : 0U) << each.mode << " " << share.cause;
    EXPECT_NEAR(row.longest, each.longest, 1e-9) << each.mode;
    EXPECT_EQ(unit.value<double>("unit_lag"), 0) << each.mode;
  }
}

TEST(FmiMeasured, HasTheClocksOfAUnitWithEventMode) {
  OneUnit unit("clocked_whole", "event_mode: yes", 0.01);
  unit.start();
  unit.value<std::int32_t>("start") = 1;
  unit.value<double>("delay") = 0.045;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  EXPECT_EQ(row_of(unit, "step.lag").count, 10U);
  const ModelHistogram once = row_of(unit, "once.late");
  EXPECT_EQ(once.count, 1U);
  EXPECT_NEAR(once.longest, 0.005, 1e-9);
  EXPECT_THAT(once.about, HasSubstr("clock 'once', countdown"));
  EXPECT_EQ(row_of(unit, "every.late").count, 4U);
  EXPECT_EQ(row_of(unit, "every.late").longest, 0);
}

TEST(FmiMeasured, HasThePartitionsOfAUnit) {
  OneUnit unit("parts", "on_error: hold");
  unit.value<std::int32_t>("mode") = 2;
  unit.open();
  ASSERT_EQ(unit.run("initialize"), 0) << unit.failure();
  ASSERT_EQ(unit.run("trig"), 0);
  EXPECT_EQ(row_of(unit, "trig.late").count, 0U) << "its variable has not changed";
  unit.value<std::int64_t>("trig") = 1;
  ASSERT_EQ(unit.run("trig", 0.002), 0);
  ASSERT_EQ(unit.run("once", 0.004), 0);
  EXPECT_THAT(row_of(unit, "trig.wait").about, HasSubstr("clock 'trig', triggered, priority 0"));
  EXPECT_EQ(row_of(unit, "trig.wait").count, 1U);
  EXPECT_EQ(row_of(unit, "once.late").count, 1U);
  EXPECT_NEAR(row_of(unit, "once.late").longest, 0.0015, 1e-9);
  EXPECT_EQ(row_of(unit, "once.wait").longest, 0);
}

}  // namespace
}  // namespace tactus::drivers::fmi::measured_test
