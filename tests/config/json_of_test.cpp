// SPDX-License-Identifier: Apache-2.0
#include "config/json_of.hpp"

#include <gtest/gtest.h>

namespace tactus::config::json_of_test {
namespace {

TEST(JsonOf, ATextSaysWhatItSaysInItsOrder) {
  EXPECT_EQ(json_of(R"({"z": [1, 2.5, true], "a": "µ"})").dump(), R"({"z":[1,2.5,true],"a":"µ"})");
  EXPECT_EQ(json_of("7"), Json(7));
}

TEST(JsonOf, WhatIsNoJsonIsDiscarded) {
  for (const char* const text : {"", " ", "{", "{\"a\": 1,}", "600 rpm", "[1] [2]", "\"\xff\"", "nan"})
    EXPECT_TRUE(json_of(text).is_discarded()) << text;
}

TEST(JsonOf, ATextEndsWhereItsLengthSays) {
  EXPECT_EQ(json_of(std::string_view("12345").substr(0, 2)), Json(12));
}

}  // namespace
}  // namespace tactus::config::json_of_test
