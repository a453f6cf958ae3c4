// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::drivers::live_http::json_text_test {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::string& text) {
  std::string problem;
  return parse_json(text, {}, problem) ? "" : problem;
}

TEST(HttpJson, KeepsTheOrderOfKeys) {
  std::string problem;
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5, "x", null, true], "a": {}})", {}, problem)->dump(),
            R"({"b":[1,2.5,"x",null,true],"a":{}})");
}

TEST(HttpJson, AKeyIsThereOnce) {
  EXPECT_THAT(problem_of(R"({"a": 1, "b": {"a": 1}, "c": [{"a": 2}, {"a": 3}]})"), "");
  EXPECT_THAT(problem_of(R"({"a": 1, "b": 2, "a": 3})"), HasSubstr("the key 'a' twice"));
  EXPECT_THAT(problem_of(R"({"x": {"a": [], "\u0061": 3}})"), HasSubstr("the key 'a' twice"));
}

TEST(HttpJson, DepthIsLimited) {
  EXPECT_EQ(problem_of(std::string(16, '[') + std::string(16, ']')), "");
  EXPECT_THAT(problem_of(std::string(17, '[') + std::string(17, ']')), HasSubstr("more than 16 levels"));
  EXPECT_THAT(problem_of(std::string(1 << 20, '[')), HasSubstr("more than 16 levels"));
  std::string objects;
  for (int k = 0; k < 100'000; ++k) objects += R"({"a":)";
  EXPECT_THAT(problem_of(objects), HasSubstr("more than 16 levels"));
}

TEST(HttpJson, SizesAreLimitedBeforeTheyCostAnything) {
  std::string object = "{", list = "[";
  for (int k = 0; k < 100'000; ++k) {
    object += "\"" + std::to_string(k) + "\":0,";
    list += "0,";
  }
  EXPECT_THAT(problem_of(object + "\"x\":0}"), HasSubstr("more than 4096 entries"));
  EXPECT_THAT(problem_of(list + "0]"), HasSubstr("more than 65536 elements"));
}

TEST(HttpJson, SaysWhatWasFoundAndWhatIsExpected) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"a": ,})", "byte 7: found ','; a value is expected"},
      {R"({"a": 1,})", "byte 9: found '}'; a key in double quotes is expected"},
      {R"({'a': 1})", "byte 2: found '''; a key in double quotes is expected"},
      {R"({a: 1})", "byte 2: found 'a'; a key in double quotes is expected"},
      {R"({"a" 1})", "byte 6: found a number; ':' is expected"},
      {R"({"a": 1 "b": 2})", "found a text in quotes; ',' or '}' is expected"},
      {R"([1 2])", "byte 4: found a number; ',' or ']' is expected"},
      {R"([1] [2])", "byte 5: found '['; the end of the text is expected"},
      {R"(NaN)", "byte 1: found 'N'; a value is expected"},
      {R"({"a": 1.})", "byte 9: found '}'; invalid number"},
      {R"({"a": 1)", "the text ends where ',' or '}' is expected"},
      {R"({"a": )", "the text ends where a value is expected"},
      {R"({"a)", "the text ends in the middle of a text in quotes"},
      {R"({"a": fal)", "the text ends in the middle of a value"},
  };
  for (const auto& [text, problem] : rows) EXPECT_THAT(problem_of(text), HasSubstr(problem)) << text;
}

TEST(HttpJson, WhatIsNoneIsRefused) {
  for (const char* const text : {"", " ", "{", "}", "{\"a\"}", "{a: 1}", "[1,]", "01", "nul", "NaN", "1e999",
                                 "\"\xff\"", "{} {}", "\"\\ud800\"", "// no\n1"})
    EXPECT_THAT(problem_of(text), HasSubstr("the body is not JSON")) << text;
}

}  // namespace
}  // namespace tactus::drivers::live_http::json_text_test
