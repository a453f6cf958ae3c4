// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/fail_on.hpp"

#include <gtest/gtest.h>

#include "tests/support/snapshot.hpp"

namespace tactus::executive::fail_on_test {
namespace {

TEST(FailOn, TakesWordsWithCommas) {
  FailOn fail_on;
  EXPECT_EQ(add_fail_on("overrun", fail_on), "");
  EXPECT_EQ(fail_on, (FailOn{.overrun = true}));
  EXPECT_EQ(add_fail_on("late_wake, refused", fail_on), "");
  EXPECT_EQ(fail_on, (FailOn{.overrun = true, .late_wake = true, .refused = true}));
}

TEST(FailOn, AWrongWordIsNamedWithThoseThatAreRight) {
  tactus::test::Snapshot texts;
  FailOn fail_on;
  texts.add(add_fail_on("overruns", fail_on));
  texts.add(add_fail_on("overrun,", fail_on));
  texts.add(add_fail_on("everything", fail_on));
}

TEST(FailOn, CountsOnlyWhatIsAskedFor) {
  const RunFigures counts{.overruns = 3, .late_wakes = 1, .refused = 2};
  EXPECT_EQ(why_failed({}, counts), "");
  EXPECT_EQ(why_failed({.overrun = true}, counts), "3 overruns (--fail-on)");
  EXPECT_EQ(why_failed({.overrun = true, .late_wake = true, .refused = true}, counts),
            "3 overruns, 1 late wake, 2 refusals of the machine (--fail-on)");
  EXPECT_EQ(why_failed({.late_wake = true}, {.overruns = 3}), "");
}

TEST(FailOn, TakesAConditionOverFiguresOfTheRun) {
  tactus::test::Snapshot texts;
  FailOn fail_on;
  EXPECT_EQ(add_fail_on("overruns > 3 or lost > 0", fail_on), "");
  EXPECT_EQ(why_failed(fail_on, {.overruns = 3}), "");
  texts.add(why_failed(fail_on, {.overruns = 4}));
  texts.add(why_failed(fail_on, {.lost = 1}));
  EXPECT_EQ(add_fail_on("longest_overrun > 50 us", fail_on), "");
  EXPECT_NE(why_failed(fail_on, {.longest_overrun_ns = 50'001}), "");
  EXPECT_EQ(why_failed(fail_on, {.longest_overrun_ns = 50'000}), "");
  EXPECT_EQ(add_fail_on("overrun", fail_on), "") << "the older words beside it";
  texts.add(add_fail_on("overrunz > 3", fail_on));
  texts.add(add_fail_on("longest_overrun > 3", fail_on));
  EXPECT_NE(add_fail_on("rises(overruns > 3)", fail_on).find("judged once"), std::string::npos);
  FailOn ratio;
  EXPECT_EQ(add_fail_on("overruns / frames > 1 %", ratio), "");
  EXPECT_EQ(why_failed(ratio, {.overruns = 1, .frames = 100}), "");
  EXPECT_NE(why_failed(ratio, {.overruns = 2, .frames = 100}), "");
  EXPECT_NE(why_failed(ratio, {.frames = 0}), "") << "no value is never good";
}

}  // namespace
}  // namespace tactus::executive::fail_on_test
