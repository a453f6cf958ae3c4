#include "drivers/live/http/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::drivers::live_http {
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

TEST(HttpJson, WhatIsNoneIsRefused) {
  for (const char* const text : {"", " ", "{", "}", "{\"a\"}", "{a: 1}", "[1,]", "01", "nul", "NaN", "1e999",
                                 "\"\xff\"", "{} {}", "\"\\ud800\"", "// no\n1"})
    EXPECT_THAT(problem_of(text), HasSubstr("the body is no JSON")) << text;
}

}  // namespace
}  // namespace tactus::drivers::live_http
