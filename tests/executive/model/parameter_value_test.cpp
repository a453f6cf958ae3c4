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

}  // namespace
}  // namespace tactus::executive::parameter_value_test
