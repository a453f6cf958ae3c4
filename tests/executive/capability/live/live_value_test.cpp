// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/snapshot.hpp"

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
  tactus::test::Snapshot texts;
  struct Row {
    tactus_type type;
    std::string in;
    const char* out;  // nullptr: refused
  };
  for (const Row& row : std::vector<Row>{
           {TACTUS_BOOL, "true", "true"},
           {TACTUS_BOOL, "false", "false"},
           {TACTUS_BOOL, "1", nullptr},
           {TACTUS_BOOL, "\"yes\"", nullptr},
           {TACTUS_INT8, "-128", "-128"},
           {TACTUS_INT8, "-129", nullptr},
           {TACTUS_INT8, "128", nullptr},
           {TACTUS_UINT8, "255", "255"},
           {TACTUS_UINT8, "-1", nullptr},
           {TACTUS_UINT8, "256", nullptr},
           {TACTUS_INT32, "1.0", "1"},
           {TACTUS_INT32, "1.5", nullptr},
           {TACTUS_INT32, "1e10", nullptr},
           {TACTUS_INT32, "1e300", nullptr},
           {TACTUS_UINT8, "-1.0", nullptr},
           {TACTUS_INT32, "true", nullptr},
           {TACTUS_INT64, "-9223372036854775808", "-9223372036854775808"},
           {TACTUS_INT64, "9223372036854775807", "9223372036854775807"},
           {TACTUS_INT64, "9223372036854775808", nullptr},
           {TACTUS_UINT64, "18446744073709551615", "18446744073709551615"},
           {TACTUS_UINT64, "18446744073709551616", nullptr},
           {TACTUS_UINT64, "-1", nullptr},
           {TACTUS_FLOAT, "0.5", "0.5"},
           {TACTUS_FLOAT, "1e39", nullptr},
           {TACTUS_DOUBLE, "3", "3.0"},
           {TACTUS_DOUBLE, "0.1", "0.1"},
           {TACTUS_DOUBLE, "5e-324", "5e-324"},
           {TACTUS_DOUBLE, "null", nullptr},
           {TACTUS_DOUBLE, "[1]", nullptr},
           {TACTUS_DOUBLE, "{\"a\": 1}", nullptr},
           {TACTUS_DOUBLE, "\"nan\"", nullptr},
       })
    if (row.out != nullptr)
      EXPECT_EQ(through(variable(row.type), row.in), row.out) << name_of(row.type);
    else
      texts.add(through(variable(row.type), row.in), std::string(name_of(row.type)) + " " + row.in);
}

TEST(LiveValue, TextIsReadWithItsUnitAsInARigFile) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(through(variable(TACTUS_DOUBLE, 0, "m"), "\"12 mm\""), "0.012");
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 0, "m"), "\"12 s\""), HasSubstr("12 s"));
  EXPECT_THAT(through(variable(TACTUS_DOUBLE, 0, "m"), "\"nan m\""), HasSubstr("nan"));
  Variable gear = variable(TACTUS_UINT8);
  gear.labels = {{"park", 0}, {"drive", 3}};
  EXPECT_EQ(through(gear, "\"drive\""), "3");
  EXPECT_EQ(through(gear, "3"), "3");
  texts.add(through(gear, "2"));
  texts.add(through(gear, "\"drove\""));
}

TEST(LiveValue, ArraysAreListsOfAsMany) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(through(variable(TACTUS_DOUBLE, 3), "[1, 2, 3.5]"), "[1.0,2.0,3.5]");
  texts.add(through(variable(TACTUS_DOUBLE, 3), "[1, 2]"));
  texts.add(through(variable(TACTUS_DOUBLE, 3), "1"));
  texts.add(through(variable(TACTUS_INT8, 2), "[1, 300]"));
}

TEST(LiveValue, TwoDimensionsAreAListOfRows) {
  tactus::test::Snapshot texts;
  Variable table = variable(TACTUS_DOUBLE, 4);
  table.columns = 2;
  EXPECT_EQ(through(table, "[[1, 2], [3, 4.5]]"), "[[1.0,2.0],[3.0,4.5]]");
  texts.add(through(table, "[1, 2, 3, 4]"));
  texts.add(through(table, "[[1, 2], [3]]"));
  EXPECT_THAT(through(table, "[[1, 2], [3, true]]"), HasSubstr("row 1: element 1: "));
  texts.add(through(table, "1"));
}

TEST(LiveValue, ADeclaredRangeIsKept) {
  Variable angle = variable(TACTUS_DOUBLE, 0, "rad");
  angle.low = -1;
  angle.high = 1;
  EXPECT_EQ(through(angle, "1"), "1.0");
  tactus::test::Snapshot().add(through(angle, "1.5"));
  Variable count = variable(TACTUS_UINT64);
  count.low = 5;
  EXPECT_THAT(through(count, "4"), HasSubstr("4 is outside 5 .. "));
}

TEST(LiveValue, WhatIsNoNumberIsShownButNeverTakenIn) {
  tactus::test::Snapshot texts;
  const Variable d = variable(TACTUS_DOUBLE);
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{std::numeric_limits<double>::quiet_NaN(), "nan"},
                                                   {std::numeric_limits<double>::infinity(), "inf"},
                                                   {-std::numeric_limits<double>::infinity(), "-inf"}}) {
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), &value, 8);
    EXPECT_EQ(to_json(d, bytes.data(), 1, false), text);
    texts.add(value_problem(d, bytes.data(), 1));
  }
  const std::byte two{2};
  texts.add(value_problem(variable(TACTUS_BOOL), &two, 1));
  EXPECT_EQ(to_json(variable(TACTUS_BOOL), &two, 1, false), true);
}

}  // namespace
}  // namespace tactus::executive::live_value_test
