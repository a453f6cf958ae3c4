// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/snapshot.hpp"

namespace tactus::drivers::live_http::json_text_test {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::string& text) {
  std::string problem;
  return parse_json(text, problem) ? "" : problem;
}

TEST(HttpJson, KeepsTheOrderOfKeys) {
  std::string problem;
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5, "x", null, true], "a": {}})", problem)->dump(),
            R"({"b":[1,2.5,"x",null,true],"a":{}})");
}

TEST(HttpJson, AKeyIsThereOnce) {
  tactus::test::Snapshot texts;
  EXPECT_THAT(problem_of(R"({"a": 1, "b": {"a": 1}, "c": [{"a": 2}, {"a": 3}]})"), "");
  texts.add(problem_of(R"({"a": 1, "b": 2, "a": 3})"));
  texts.add(problem_of(R"({"x": {"a": [], "\u0061": 3}})"));
}

TEST(HttpJson, DepthIsLimited) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(problem_of(std::string(16, '[') + std::string(16, ']')), "");
  texts.add(problem_of(std::string(17, '[') + std::string(17, ']')));
  texts.add(problem_of(std::string(1 << 20, '[')));
  std::string objects;
  for (int k = 0; k < 100'000; ++k) objects += R"({"a":)";
  texts.add(problem_of(objects));
}

TEST(HttpJson, SizesAreLimitedBeforeTheyCostAnything) {
  tactus::test::Snapshot texts;
  std::string object = "{", list = "[";
  for (int k = 0; k < 100'000; ++k) {
    object += "\"" + std::to_string(k) + "\":0,";
    list += "0,";
  }
  texts.add(problem_of(object + "\"x\":0}"));
  texts.add(problem_of(list + "0]"));
}

TEST(HttpJson, SaysWhatWasFoundAndWhatIsExpected) {
  tactus::test::Snapshot texts;
  const std::string rows[] = {R"({"a": ,})", R"({"a": 1,})",       R"({'a': 1})", R"({a: 1})",
                              R"({"a" 1})",  R"({"a": 1 "b": 2})", R"([1 2])",    R"([1] [2])",
                              R"(NaN)",      R"({"a": 1.})",       R"({"a": 1)",  R"({"a": )",
                              R"({"a)",      R"({"a": fal)"};
  for (const std::string& text : rows) texts.add(problem_of(text), "'" + text + "'");
}

TEST(HttpJson, WhatIsNoneIsRefused) {
  for (const char* const text : {"", " ", "{", "}", "{\"a\"}", "{a: 1}", "[1,]", "01", "nul", "NaN", "1e999",
                                 "\"\xff\"", "{} {}", "\"\\ud800\"", "// no\n1"})
    EXPECT_THAT(problem_of(text), HasSubstr("the body is not JSON")) << text;
}

}  // namespace
}  // namespace tactus::drivers::live_http::json_text_test
