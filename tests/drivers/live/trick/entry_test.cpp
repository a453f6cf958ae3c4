// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/entry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/live/support/fake_live_rig.hpp"

namespace tactus::drivers::trick::entry_test {
namespace {

using config::Unit;
using testing::HasSubstr;

TEST(TrickUnits, TricksSpellingIsUnderstood) {
  struct Row {
    const char* own;
    const char* theirs;
    const char* ours;
  };
  for (const Row& row : {
           Row{"m/s^2", "m/s2", "m/s^2"},
           Row{"kg m^2", "kg*m2", "kg m^2"},
           Row{"kg m^2/s^2", "kg*m**2/s**2", "J"},
           Row{"N m", "N*m", "N m"},
           Row{"1/s", "s-1", "1/s"},
           Row{"rad", "degree", "deg"},
           Row{"rad", "d", "deg"},
           Row{"s", "d", "d"},
           Row{"deg", "r", "rad"},
           Row{"m", "M", "m"},
           Row{"K", "C", "degC"},
           Row{"V", "mV", "mV"},
           Row{"V", "v", "V"},
           Row{"", "1", "1"},
           Row{"", "one", "1"},
       }) {
    const auto unit = unit_for(Unit::parse(row.own), row.theirs);
    ASSERT_TRUE(unit) << row.own << " as " << row.theirs;
    EXPECT_EQ(*unit, Unit::parse(row.ours)) << row.own << " as " << row.theirs;
  }
  EXPECT_EQ(unit_for(Unit::parse("C"), "C"), Unit::parse("C")) << "of a charge it is the coulomb";
}

TEST(TrickUnits, WhatDoesNotFitIsNone) {
  EXPECT_FALSE(unit_for(Unit::parse("m"), "kg"));
  EXPECT_FALSE(unit_for(Unit::parse("m"), "m^"));
  EXPECT_FALSE(unit_for(Unit::parse("m"), ""));
  EXPECT_FALSE(unit_for(Unit::parse("m"), "m}\t{"));
  EXPECT_FALSE(unit_for(Unit::parse("m"), std::string(100'000, '('))) << "no stack is deep enough";
}

TEST(TrickNames, OnlyNamesAreLookedFor) {
  test::FakeLiveRig rig;
  rig.add<double>("a.b", TACTUS_DOUBLE, {1, 2}, true);
  std::string problem;
  EXPECT_TRUE(find(rig, "a.b", problem));
  EXPECT_TRUE(find(rig, "a.b[1]", problem));
  for (const char* const name : {"", "a.b[2]", "a.b[", "a.b[]", "a.b[x]", "a.b[-1]", "a.b[1][1]", "[1]",
                                 "a.b ", "a.b[99999999999999999999]", "*a.b", "&a.b", "a.b]"})
    EXPECT_FALSE(find(rig, name, problem)) << name;
  EXPECT_FALSE(find(rig, std::string(100'000, 'a'), problem));
}

/// What is written for `value`; what is wrong otherwise.
template <class T>
std::string written(const executive::Variable& variable, const Value& value, T& out,
                    const std::string& unit = "") {
  std::string problem;
  const auto bytes = bytes_of(variable, value, unit, problem);
  if (!bytes) return problem.empty() ? "?" : problem;
  EXPECT_EQ(bytes->size(), sizeof out);
  std::memcpy(&out, bytes->data(), sizeof out);
  return "";
}

executive::Variable variable(tactus_type type, const std::string& unit = "") {
  executive::Variable made;
  made.name = "a.b";
  made.type = type;
  made.unit_text = unit;
  made.unit = Unit::parse(unit);
  return made;
}

TEST(TrickSet, ConvertsUnitsAndCutsIntegers) {
  double d = 0;
  EXPECT_EQ(written(variable(TACTUS_DOUBLE, "m"), Integer{false, 2500}, d, "mm"), "");
  EXPECT_EQ(d, 2.5);
  EXPECT_EQ(written(variable(TACTUS_DOUBLE, "m"), 7.0, d, "xx"), "");
  EXPECT_EQ(d, 7.0);
  std::int16_t s = 0;
  EXPECT_EQ(written(variable(TACTUS_INT16), -3.9, s), "");
  EXPECT_EQ(s, -3);
  EXPECT_EQ(written(variable(TACTUS_INT16, "m"), 1999.0, s, "mm"), "");
  EXPECT_EQ(s, 1);
  std::uint64_t u = 0;
  EXPECT_EQ(written(variable(TACTUS_UINT64), Integer{false, UINT64_MAX}, u), "");
  EXPECT_EQ(u, UINT64_MAX);
  std::int64_t l = 0;
  EXPECT_EQ(written(variable(TACTUS_INT64), Integer{true, 1ULL << 63U}, l), "");
  EXPECT_EQ(l, INT64_MIN);
  float f = 0;
  EXPECT_EQ(written(variable(TACTUS_FLOAT), true, f), "");
  EXPECT_EQ(f, 1.0F);
}

TEST(TrickSet, RefusesWhatDoesNotFit) {
  std::int8_t c = 0;
  EXPECT_THAT(written(variable(TACTUS_INT8), Integer{false, 128}, c), HasSubstr("does not fit into int8"));
  EXPECT_EQ(written(variable(TACTUS_INT8), Integer{true, 128}, c), "");
  EXPECT_EQ(c, -128);
  EXPECT_NE(written(variable(TACTUS_INT8), Integer{true, 129}, c), "");
  EXPECT_NE(written(variable(TACTUS_INT8), 128.0, c), "");
  EXPECT_EQ(written(variable(TACTUS_INT8), 127.9, c), "");
  std::uint8_t u = 0;
  EXPECT_NE(written(variable(TACTUS_UINT8), Integer{true, 1}, u), "");
  EXPECT_EQ(written(variable(TACTUS_UINT8), Integer{true, 0}, u), "");
  std::int64_t l = 0;
  EXPECT_NE(written(variable(TACTUS_INT64), 9223372036854775808.0, l), "");
  EXPECT_NE(written(variable(TACTUS_INT64), Integer{true, (1ULL << 63U) + 1}, l), "");
  EXPECT_NE(written(variable(TACTUS_INT64), Integer{false, 1ULL << 63U}, l), "");
  float f = 0;
  EXPECT_THAT(written(variable(TACTUS_FLOAT), 1e300, f), HasSubstr("does not fit into float"));
  double d = 0;
  EXPECT_THAT(written(variable(TACTUS_DOUBLE, "m"), 1.0, d, "kg"), HasSubstr("has the unit 'm'"));
  EXPECT_THAT(written(variable(TACTUS_DOUBLE, "m"), std::string("five"), d),
              HasSubstr("not the text 'five'"));
  executive::Variable limited = variable(TACTUS_DOUBLE);
  limited.low = 0;
  limited.high = 1;
  EXPECT_THAT(written(limited, 2.0, d), HasSubstr("declared range"));
  EXPECT_EQ(written(limited, 1.0, d), "");
}

TEST(TrickSet, ABoolIsZeroOrOneAndALabelIsItsNumber) {
  std::uint8_t b = 9;
  EXPECT_EQ(written(variable(TACTUS_BOOL), true, b), "");
  EXPECT_EQ(b, 1);
  EXPECT_EQ(written(variable(TACTUS_BOOL), Integer{false, 0}, b), "");
  EXPECT_EQ(b, 0);
  EXPECT_NE(written(variable(TACTUS_BOOL), Integer{false, 2}, b), "");
  EXPECT_NE(written(variable(TACTUS_BOOL), 1.0, b), "");
  executive::Variable mode = variable(TACTUS_INT32);
  mode.labels = {{"off", 0}, {"back", -7}};
  std::int32_t i = 0;
  EXPECT_EQ(written(mode, std::string("back"), i), "");
  EXPECT_EQ(i, -7);
  EXPECT_NE(written(mode, std::string("forth"), i), "");
}

}  // namespace
}  // namespace tactus::drivers::trick::entry_test
