// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/fail_on.hpp"

#include <gtest/gtest.h>

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
  FailOn fail_on;
  EXPECT_EQ(add_fail_on("overruns", fail_on),
            "'overruns' is nothing that a run fails on; 'overrun', 'late_wake', 'refused' are; did you mean "
            "'overrun'?");
  EXPECT_EQ(add_fail_on("overrun,", fail_on),
            "'' is nothing that a run fails on; 'overrun', 'late_wake', 'refused' are");
  EXPECT_EQ(add_fail_on("everything", fail_on),
            "'everything' is nothing that a run fails on; 'overrun', 'late_wake', 'refused' are");
}

TEST(FailOn, CountsOnlyWhatIsAskedFor) {
  const FailCounts counts{.overruns = 3, .late_wakes = 1, .refused = 2};
  EXPECT_EQ(why_failed({}, counts), "");
  EXPECT_EQ(why_failed({.overrun = true}, counts), "3 overruns (--fail-on)");
  EXPECT_EQ(why_failed({.overrun = true, .late_wake = true, .refused = true}, counts),
            "3 overruns, 1 late wake, 2 refusals of the machine (--fail-on)");
  EXPECT_EQ(why_failed({.late_wake = true}, {.overruns = 3}), "");
}

}  // namespace
}  // namespace tactus::executive::fail_on_test
