// SPDX-License-Identifier: Apache-2.0
#include "executive/model/parameter_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/document.hpp"

namespace tactus::executive::parameter_value_test {
namespace {

using testing::HasSubstr;

/// The problems of a value for a variable; empty: it is taken.
std::string problems_of(const Variable& variable, const std::string& yaml) {
  const config::Document document = config::Document::from_text("rig.yaml", "p: " + yaml);
  config::Problems problems;
  const auto bytes = read_value(variable, *document.root().find("p"), "models.m.parameters.p", problems);
  EXPECT_EQ(bytes.has_value(), problems.empty());
  return problems.text();
}

TEST(ParameterValue, OutsideOfTheDeclaredRangeIsRefused) {
  Variable resistance;
  resistance.name = "m.p";
  resistance.unit_text = "Ohm";
  resistance.unit = config::Unit::parse("Ohm");
  resistance.low = 0.5;
  resistance.high = 2;
  EXPECT_EQ(problems_of(resistance, "1 Ohm"), "");
  EXPECT_EQ(problems_of(resistance, "500 mOhm"), "");
  EXPECT_THAT(
      problems_of(resistance, "-1 Ohm"),
      HasSubstr("rig.yaml:1:4: models.m.parameters.p: -1 is outside 0.5 .. 2 Ohm (its declared range)"));
  resistance.count = 2;
  EXPECT_THAT(problems_of(resistance, "[1 Ohm, 3 Ohm]"),
              HasSubstr("models.m.parameters.p[1]: 3 is outside 0.5 .. 2 Ohm"));
}

TEST(ParameterValue, TwoDimensionsAreAListOfRows) {
  Variable table;
  table.name = "m.p";
  table.count = 4;
  table.columns = 2;
  EXPECT_EQ(problems_of(table, "[[1, 2], [3, 4]]"), "");
  EXPECT_THAT(problems_of(table, "[1, 2, 3, 4]"), HasSubstr("is an array of 2 rows; a list of 2 lists"));
  EXPECT_THAT(problems_of(table, "[[1, 2], [3]]"), HasSubstr("m.parameters.p[1]: is an array of 2;"));
  EXPECT_THAT(problems_of(table, "[[1, 2], [3, x]]"), HasSubstr("m.parameters.p[1][1]: "));
}

TEST(ParameterValue, ARangeMayBeOpenOnOneSide) {
  Variable every;
  every.name = "m.p";
  every.type = TACTUS_INT64;
  every.low = 1;
  EXPECT_EQ(problems_of(every, "9223372036854775807"), "");
  EXPECT_THAT(problems_of(every, "0"), HasSubstr("0 is outside 1 .. "));
}

TEST(ParameterValue, AFloatTakesWhatRoundsToOne) {
  Variable gain;
  gain.name = "m.p";
  gain.type = TACTUS_FLOAT;
  for (const char* const text : {"3.4028235e+38", "-3.4028235e+38", "1e-45", "0", "-0"})
    EXPECT_EQ(problems_of(gain, text), "") << text;
  EXPECT_THAT(problems_of(gain, "3.4028237e38"), HasSubstr("'3.4028237e38' is beyond the range of a float"));
  EXPECT_THAT(problems_of(gain, "-1e-50"), HasSubstr("'-1e-50' is too close to 0 for a float"));
}

TEST(ParameterValue, AWholeNumberIsWrittenInItsUnit) {
  Variable time;
  time.name = "m.p";
  time.type = TACTUS_INT64;
  time.unit_text = "ns";
  time.unit = config::Unit::parse("ns");
  EXPECT_EQ(problems_of(time, "5 ns"), "");
  EXPECT_EQ(problems_of(time, "5ns"), "");
  EXPECT_THAT(problems_of(time, "5"), HasSubstr("'5' has no unit; write for example '5 ns'"));
  EXPECT_THAT(problems_of(time, "5 ms"),
              HasSubstr("'5 ms' has unit 'ms'; a whole number is not converted, so write it in 'ns'"));
  EXPECT_THAT(problems_of(time, "5 m"), HasSubstr("'5 m' has unit 'm'; write for example '5 ns'"));
  EXPECT_THAT(problems_of(time, "5 m2"), HasSubstr("write a power as 'm^2'"));
  for (const char* const text : {"0x10", "0x10 ns", "1_0", "ns", "soon"})
    EXPECT_THAT(problems_of(time, text), HasSubstr("is not a whole number in the range of int64")) << text;
}

}  // namespace
}  // namespace tactus::executive::parameter_value_test
