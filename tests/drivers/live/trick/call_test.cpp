// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::drivers::trick::call_test {
namespace {

using testing::HasSubstr;

/// One call of the line, which has no more.
Call only(const std::string& line) {
  const std::vector<Call> calls = parse_line(line);
  EXPECT_EQ(calls.size(), 1U) << line;
  return calls.empty() ? Call{} : calls.front();
}

TEST(TrickCall, TakesEveryKindOfValue) {
  const Call call = only(R"(trick.var_set("a.b[2]", -3, +4, 2.5, -1e-3, .5, True,False, 'it "is"'))");
  EXPECT_EQ(call.problem, "");
  EXPECT_EQ(call.name, "var_set");
  const std::vector<Value> expected{
      std::string("a.b[2]"),   Integer{true, 3}, Integer{false, 4}, 2.5, -1e-3, 0.5, true, false,
      std::string("it \"is\"")};
  EXPECT_EQ(call.values, expected);
}

TEST(TrickCall, KnowsTheEscapesOfPython) {
  const Call call = only(R"(trick.f("\\\'\"\a\b\f\n\r\t\v\x41\x0a"))");
  EXPECT_EQ(std::get<std::string>(call.values.at(0)), "\\'\"\a\b\f\n\r\t\vA\n");
  EXPECT_NE(only(R"(trick.f("\q"))").problem, "");
  EXPECT_NE(only(R"(trick.f("\x4"))").problem, "");
  EXPECT_NE(only(R"(trick.f("\)").problem, "");
}

TEST(TrickCall, IntegersAreExactUpTo64Bits) {
  EXPECT_EQ(only("trick.f(18446744073709551615)").values.at(0), Value(Integer{false, UINT64_MAX}));
  EXPECT_EQ(only("trick.f(-9223372036854775808)").values.at(0), Value(Integer{true, 1ULL << 63U}));
  EXPECT_EQ(only("trick.f(18446744073709551616)").values.at(0), Value(18446744073709551616.0));
}

TEST(TrickCall, AnAssignmentOfAPlainValueIsASet) {
  for (const char* const line : {"a.b[2] = -3", "a.b[2]=-3;", "a.b[2] = -3 ;", "a.b[2]\t=\t-3 # now"}) {
    const Call call = only(line);
    EXPECT_EQ(call.problem, "") << line;
    EXPECT_EQ(call.name, "var_set") << line;
    ASSERT_EQ(call.values.size(), 2U) << line;
    EXPECT_EQ(call.values[0], Value{std::string("a.b[2]")}) << line;
    EXPECT_EQ(call.values[1], (Value{Integer{true, 3}})) << line;
  }
  EXPECT_EQ(only("a.b = 'park'").values.at(1), Value{std::string("park")});
  EXPECT_EQ(parse_line("a.b = True; trick.run()").size(), 2U);
}

TEST(TrickCall, SeveralStandInOneLine) {
  const std::vector<Call> calls =
      parse_line(R"(trick.a(); trick.b( 1 , 2 ) ;; trick.c ("x;#")# ; trick.d())");
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].name, "a");
  EXPECT_EQ(calls[1].text, "trick.b( 1 , 2 )");
  EXPECT_EQ(std::get<std::string>(calls[2].values.at(0)), "x;#");
  EXPECT_TRUE(parse_line("").empty());
  EXPECT_TRUE(parse_line("   ").empty());
  EXPECT_TRUE(parse_line("  # trick.a()").empty());
}

TEST(TrickCall, WhateverNeedsPythonIsRefused) {
  for (const char* const line : {
           "obj.x = y",
           "obj.x = 3 + 4",
           "obj.x == 3",
           "obj.x += 3",
           "obj.x = [1, 2]",
           "obj.x = 3 4",
           "obj.x =",
           "obj = 3",
           "3.x = 3",
           "import os",
           "from trick import *",
           "var_add(\"x\")",
           "trick.x = 3",
           "trick.f",
           "trick.f(x)",
           "trick.f(1+1)",
           "trick.f(-)",
           "trick.f(name=1)",
           "trick.f(trick.g())",
           "trick.f() + 1",
           "trick.f().g()",
           "trick.a.b()",
           "trick.f(1",
           "trick.f(1 2)",
           "trick.f(,)",
           "trick.f(\"a\" \"b\")",
           "trick.f(\"\"\"a\"\"\")",
           "trick.f(r\"a\")",
           "trick.f(\"a)",
           "trick.f([1, 2])",
           "trick.f(None)",
           "trick.f(nan)",
           "trick.f(inf)",
           "trick.f(1e999)",
           "trick.f(0x10)",
           "trick.f(012)",
           "trick.f(1_000)",
           "trick.f(1.2.3)",
           "trick.1f()",
           "if True: trick.stop()",
           "while True: pass",
           "__import__('os').system('ls')",
           "trick.f(1, *x)",
       }) {
    EXPECT_NE(only(line).problem, "") << line;
  }
}

TEST(TrickCall, NothingBehindARefusedStatementIsRun) {
  const std::vector<Call> calls = parse_line("trick.a(); if x: trick.b(); trick.stop()");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].problem, "");
  EXPECT_NE(calls[1].problem, "");
  EXPECT_EQ(calls[1].text, "if x: trick.b(); trick.stop()");
}

TEST(TrickCall, AnIndentedLineBelongsToABlockOfPython) {
  EXPECT_THAT(only("  trick.stop()").problem, HasSubstr("indented"));
  EXPECT_THAT(only("\ttrick.stop()").problem, HasSubstr("indented"));
}

TEST(TrickCall, SaysWhichValueIsWrong) {
  EXPECT_THAT(only("trick.f(1, x)").problem, HasSubstr("value 2 is no text in quotes"));
}

}  // namespace
}  // namespace tactus::drivers::trick::call_test
