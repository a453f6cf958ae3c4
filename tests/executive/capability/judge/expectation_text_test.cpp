// SPDX-License-Identifier: Apache-2.0
// Expectations that are written as one text, and what each of them means.
#include "executive/capability/judge/expectation_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/snapshot.hpp"

namespace tactus::executive::expectation_text_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

ExpectSettings read(const std::string& text) {
  config::Problems problems;
  const auto made = read_expectation({text, {"a.yaml", 3, 5}, "expect.a"}, problems);
  EXPECT_TRUE(made) << text << ": " << problems.text();
  return made.value_or(ExpectSettings{});
}

std::string refusal(const std::string& text) {
  config::Problems problems;
  EXPECT_FALSE(read_expectation({text, {"a.yaml", 3, 5}, "expect.a"}, problems)) << text;
  return problems.text();
}

TEST(ExpectationText, SingleWordsHaveTheirCondition) {
  tactus::test::Snapshot texts;
  texts.add(read("always x.y > 3 rad/s").always.value);
  texts.add(read("never: x.y > 3 rad/s").never.value);
  texts.add(read("  finally  x.y > 3 rad/s ").finally.value);
  EXPECT_EQ(read("run: overruns == 0").run.value, "overruns == 0");
  texts.add(read("x.y within 2 rad of reference/servo.mf4").always.value);
}

TEST(ExpectationText, ACountOfTheWholeRunIsKnownAtItsEnd) {
  EXPECT_EQ(read("count(loaded) == 3").finally.value, "count(loaded) == 3");
  EXPECT_EQ(read("count(loaded, 1 s) <= 2").always.value, "count(loaded, 1 s) <= 2");
  EXPECT_EQ(read("count(max(a.b, c.d) > 3, 1 s) <= 2").always.value, "count(max(a.b, c.d) > 3, 1 s) <= 2");
}

TEST(ExpectationText, AfterHasAnEventAndATime) {
  tactus::test::Snapshot texts;
  const ExpectSettings within = read("after loaded, within 200 ms: x.y < 3 rad/s");
  EXPECT_EQ(within.after.value, "loaded");
  EXPECT_EQ(within.within, 200ms);
  texts.add(within.holds.value);
  EXPECT_FALSE(within.from_the_start);
  const ExpectSettings lasting = read("after max(a.b, c.d) > 3 for 5 ms, for 1 s: yes");
  texts.add(lasting.after.value, "the comma in brackets is not that of the time");
  EXPECT_EQ(lasting.lasting, 1s);
  const ExpectSettings later = read("after x.y within 2 m of z.y, from 100 ms until 0.2 s: yes");
  texts.add(later.after.value);
  EXPECT_EQ(later.from, 100ms);
  EXPECT_EQ(later.until, 200ms);
  EXPECT_TRUE(read("within 200 ms: yes").from_the_start);
}

TEST(ExpectationText, BetweenBeforeAndSettlesHaveTwoSides) {
  tactus::test::Snapshot texts;
  const ExpectSettings between = read("between (a.b > 1 and c.d) and rises(e.f): g.h");
  ASSERT_EQ(between.between.size(), 2U);
  texts.add(between.between[0].value);
  EXPECT_EQ(between.between[1].value, "rises(e.f)");
  EXPECT_EQ(read("between 2 s and 3 s: g.h").between[1].value, "3 s");
  const ExpectSettings before = read("door.open before rises(motor.on)");
  ASSERT_EQ(before.before.size(), 2U);
  EXPECT_EQ(before.before[1].value, "rises(motor.on)");
  const ExpectSettings settles =
      read("after loaded: motor.speed settles to 80 rad/s within 2 rad/s by 100 ms");
  EXPECT_EQ(settles.after.value, "loaded");
  texts.add(settles.settles.value);
  EXPECT_EQ(settles.by, 100ms);
  EXPECT_TRUE(read("a.b settles to c.d + 1 m within 2 mm by 1 s").from_the_start);
}

TEST(ExpectationText, WhatCannotBeMeantIsRefusedWithItsPlace) {
  const struct {
    const char* text;
    const char* says;
  } rows[] = {
      {"", "a condition is expected here"},
      {"always", "a condition is expected after it"},
      {"run:", "a condition is expected after 'run:'"},
      {"after loaded, within 200 ms", "a ':' is expected"},
      {"within 200 ms x.y > 3", "a ':' is expected"},
      {"after loaded: x.y > 3", "before its ':' is one of"},
      {"after loaded, soon: x.y > 3", "before its ':' is one of"},
      {"after loaded, within soon: x.y > 3", "'soon' after 'within' is not a time"},
      {"after loaded, within -1 s: x.y > 3", "is not a time"},
      {"after loaded, from 1 s: x.y > 3", "'until' is expected"},
      {"between 2 s: x.y > 3", "'and' is expected"},
      {"between a.b and c.d and e.f: x.y > 3", "'and' is there twice; write brackets"},
      {"before x.y", "a condition is expected before 'before'"},
      {"x.y before", "a condition is expected after 'before'"},
      {"x.y settles to 3", "write 'x settles to y within D by T'"},
      {"x.y settles to 3 by 1 s within 2", "write 'x settles to y within D by T'"},
  };
  for (const auto& row : rows) {
    const std::string why = refusal(row.text);
    EXPECT_THAT(why, HasSubstr(row.says)) << row.text;
    EXPECT_THAT(why, HasSubstr("a.yaml:3:5: expect.a: ")) << row.text;
  }
}

}  // namespace
}  // namespace tactus::executive::expectation_text_test
