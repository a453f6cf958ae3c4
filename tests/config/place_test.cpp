// SPDX-License-Identifier: Apache-2.0
#include "config/place.hpp"

#include <gtest/gtest.h>

namespace tactus::config::place_test {
namespace {

TEST(Problems, SaysFileLineColumnPathMessage) {
  Problems problems;
  problems.add({"rig.yaml", 4, 15}, "threads.main.priority", "120 is outside 1 .. 99 (SCHED_FIFO priority)");
  EXPECT_EQ(problems.text(),
            "rig.yaml:4:15: threads.main.priority: 120 is outside 1 .. 99 (SCHED_FIFO priority)\n"
            "1 problem; nothing was started.");
}

TEST(Problems, AreSortedByPlaceAndKeepTheOrderWithinOne) {
  Problems problems;
  problems.add({"rig.yaml", 10, 1}, "c", "third");
  problems.add({"rig.yaml", 9, 10}, "b", "second");
  problems.add({"rig.yaml", 9, 2}, "a", "first");
  problems.add({"rig.yaml", 9, 2}, "a", "first again");
  EXPECT_EQ(problems.text(),
            "rig.yaml:9:2: a: first\nrig.yaml:9:2: a: first again\nrig.yaml:9:10: b: second\n"
            "rig.yaml:10:1: c: third\n4 problems; nothing was started.");
}

TEST(Problems, OfTheRootHaveNoPath) {
  EXPECT_EQ((Problem{{"a", 1, 2}, "", "is empty"}.text()), "a:1:2: is empty");
}

TEST(Problems, AreOneLineEachWhateverTheKeysHold) {
  EXPECT_EQ((Problem{{"a\n", 1, 2}, "x\ny", "is empty"}.text()), "a\\n:1:2: x\\ny: is empty");
}

TEST(Problems, NoneSayNothing) {
  EXPECT_TRUE(Problems{}.empty());
  EXPECT_EQ(Problems{}.text(), "");
}

TEST(Problems, ThousandsArePrintedInPartAndCountedInFull) {
  Problems problems;
  for (int i = 1; i <= 1000; ++i) problems.add({"a", i, 1}, "p", "m");
  const std::string text = problems.text(2);
  EXPECT_EQ(text, "a:1:1: p: m\na:2:1: p: m\n... and 998 more\n1000 problems; nothing was started.");
}

TEST(Problems, CanBeAddedToThemselves) {
  Problems problems;
  problems.add({"a", 1, 1}, "p", "m");
  problems.add(problems);
  EXPECT_EQ(problems.count(), 2U);
}

TEST(ConfigError, SaysEveryProblem) {
  const ConfigError error{{"a", 1, 1}, "p", "m"};
  EXPECT_EQ(error.problems().count(), 1U);
  EXPECT_STREQ(error.what(), "a:1:1: p: m\n1 problem; nothing was started.");
}

TEST(Located, ComparesByValueOnly) {
  EXPECT_EQ((Located<int>{3, {"a", 1, 1}, "x"}), (Located<int>{3, {"b", 2, 2}, "y"}));
  EXPECT_EQ((Origin{{"a", 1, 1}, "x"}), (Origin{}));
}

}  // namespace
}  // namespace tactus::config::place_test
