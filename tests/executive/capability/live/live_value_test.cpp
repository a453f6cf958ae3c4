// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tactus::executive::live_value_test {
namespace {

using config::Json;
using ::testing::HasSubstr;

Variable variable(tactus_type type, std::uint32_t count = 0, const std::string& unit = "") {
  Variable made;
  made.name = "m.v";
  made.type = type;
  made.count = count;
  made.unit_text = unit;
  made.unit = config::Unit::parse(unit);
  return made;
}

/// What comes out when it is taken in; or why it is not.
std::string through(const Variable& variable, const std::string& text) {
  std::string problem;
  const auto bytes = from_json(variable, static_cast<std::uint32_t>(variable.elements()), variable.count > 0,
                               Json::parse(text), problem);
  if (!bytes) return problem;
  EXPECT_EQ(bytes->size(), variable.elements() * size_of(variable.type));
  return to_json(variable, bytes->data(), static_cast<std::uint32_t>(variable.elements()), variable.count > 0)
      .dump();
}

TEST(LiveValue, PassesWhatFitsAndRefusesWhatDoesNot) {
  struct Row {
    tactus_type type;
    std::string in;
    std::string out;  // a part of it
  };
  for (const Row& row : std::vector<Row>{
           {TACTUS_BOOL, "true", "true"},
           {TACTUS_BOOL, "false", "false"},
           {TACTUS_BOOL, "1", "is a whole number; true or false is expected"},
           {TACTUS_BOOL, "\"yes\"", "is text; true or false is expected"},
           {TACTUS_INT8, "-128", "-128"},
           {TACTUS_INT8, "-129", "outside of the range of int8"},
           {TACTUS_INT8, "128", "128 is outside of the range of int8, -128 .. 127"},
           {TACTUS_UINT8, "255", "255"},
           {TACTUS_UINT8, "-1", "outside of the range of uint8"},
           {TACTUS_UINT8, "256", "outside of the range of uint8"},
           {TACTUS_INT32, "1.0", "1"},
           {TACTUS_INT32, "1.5", "is a number; a whole number is expected"},
           {TACTUS_INT32, "1e10", "outside of the range of int32"},
           {TACTUS_INT32, "1e300", "outside of the range of int32"},
           {TACTUS_UINT8, "-1.0", "outside of the range of uint8"},
           {TACTUS_INT32, "true", "is a bool; a whole number is expected"},
           {TACTUS_INT64, "-9223372036854775808", "-9223372036854775808"},
           {TACTUS_INT64, "9223372036854775807", "9223372036854775807"},
           {TACTUS_INT64, "9223372036854775808", "outside of the range of int64"},
           {TACTUS_UINT64, "18446744073709551615", "18446744073709551615"},
           {TACTUS_UINT64, "18446744073709551616", "outside of the range of uint64"},
           {TACTUS_UINT64, "-1", "outside of the range of uint64"},
           {TACTUS_FLOAT, "0.5", "0.5"},
           {TACTUS_FLOAT, "1e39", "beyond the range of float"},
           {TACTUS_DOUBLE, "3", "3.0"},
           {TACTUS_DOUBLE, "0.1", "0.1"},
           {TACTUS_DOUBLE, "5e-324", "5e-324"},
           {TACTUS_DOUBLE, "null", "is nothing; a number is expected"},
           {TACTUS_DOUBLE, "[1]", "is a list; a number is expected"},
           {TACTUS_DOUBLE, "{\"a\": 1}", "is an object; a number is expected"},
           {TACTUS_DOUBLE, "\"nan\"", "nan"},
       })
    EXPECT_THAT(through(variable(row.type), row.in), HasSubstr(row.out))
        << name_of(row.type) << " " << row.in;
}

TEST(LiveValue, TextIsReadWithItsUnitAsInARigFile) {
  EXPECT_EQ(through(variable(TACTUS_DOUBLE, 0, "m"), "\"12 mm\""), "0.012");
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 0, "m"), "\"12 s\""), HasSubstr("12 s"));
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 0, "m"), "\"nan m\""), HasSubstr("nan"));
  Variable gear = variable(TACTUS_UINT8);
  gear.labels = {{"park", 0}, {"drive", 3}};
  EXPECT_EQ(through(gear, "\"drive\""), "3");
  EXPECT_EQ(through(gear, "3"), "3");
  EXPECT_THAT(through(gear, "2"), HasSubstr("2 is none of its values: park (0), drive (3)"));
  EXPECT_THAT(through(gear, "\"drove\""), HasSubstr("did you mean 'drive'?"));
}

TEST(LiveValue, ArraysAreListsOfAsMany) {
  EXPECT_EQ(through(variable(TACTUS_DOUBLE, 3), "[1, 2, 3.5]"), "[1.0,2.0,3.5]");
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 3), "[1, 2]"),
              HasSubstr("is a list of 2; a list of 3 values is expected"));
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 3), "1"), HasSubstr("a list of 3 values is expected"));
  EXPECT_THAT(through(variable(TACTUS_INT8, 2), "[1, 300]"),
              HasSubstr("element 1: 300 is outside of the range of int8"));
}

TEST(LiveValue, TwoDimensionsAreAListOfRows) {
  Variable table = variable(TACTUS_DOUBLE, 4);
  table.columns = 2;
  EXPECT_EQ(through(table, "[[1, 2], [3, 4.5]]"), "[[1.0,2.0],[3.0,4.5]]");
  EXPECT_THAT(through(table, "[1, 2, 3, 4]"), HasSubstr("is a list of 4; a list of 2 rows is expected"));
  EXPECT_THAT(through(table, "[[1, 2], [3]]"), HasSubstr("row 1: is a list of 1; a list of 2 values"));
  EXPECT_THAT(through(table, "[[1, 2], [3, true]]"), HasSubstr("row 1: element 1: "));
  EXPECT_THAT(through(table, "1"), HasSubstr("a list of 2 rows is expected"));
}

TEST(LiveValue, ADeclaredRangeIsKept) {
  Variable angle = variable(TACTUS_DOUBLE, 0, "rad");
  angle.low = -1;
  angle.high = 1;
  EXPECT_EQ(through(angle, "1"), "1.0");
  EXPECT_THAT(through(angle, "1.5"), HasSubstr("1.5 is outside -1 .. 1 rad (its declared range)"));
  Variable count = variable(TACTUS_UINT64);
  count.low = 5;
  EXPECT_THAT(through(count, "4"), HasSubstr("4 is outside 5 .. "));
}

TEST(LiveValue, WhatIsNoNumberIsShownButNeverTakenIn) {
  const Variable d = variable(TACTUS_DOUBLE);
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{std::numeric_limits<double>::quiet_NaN(), "nan"},
                                                   {std::numeric_limits<double>::infinity(), "inf"},
                                                   {-std::numeric_limits<double>::infinity(), "-inf"}}) {
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), &value, 8);
    EXPECT_EQ(to_json(d, bytes.data(), 1, false), text);
    EXPECT_THAT(value_problem(d, bytes.data(), 1), HasSubstr("is not finite"));
  }
  const std::byte two{2};
  EXPECT_THAT(value_problem(variable(TACTUS_BOOL), &two, 1), HasSubstr("is not a bool"));
  EXPECT_EQ(to_json(variable(TACTUS_BOOL), &two, 1, false), true);
}

}  // namespace
}  // namespace tactus::executive::live_value_test
