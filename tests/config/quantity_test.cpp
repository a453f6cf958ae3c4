// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/snapshot.hpp"

namespace tactus::config::quantity_test {
namespace {

TEST(ParseQuantity, IsANumberAndAUnit) {
  const Quantity quantity = parse_quantity("10 g cm^2");
  EXPECT_EQ(quantity.value, 10.0);
  EXPECT_EQ(quantity.unit.text(), "g cm^2");
  EXPECT_EQ(to_unit(quantity, Unit::parse("kg m^2")), 1e-6);
  EXPECT_TRUE(parse_quantity("3").unit.is_number());
  EXPECT_EQ(parse_quantity("-1.5e-3V").value, -1.5e-3);
  EXPECT_EQ(parse_quantity("5 eV").unit.text(), "eV") << "the e is no exponent";
}

TEST(ParseQuantity, RefusesWithAReason) {
  for (const char* bad : {"", "V", "nan V", "inf", "0x10 V", "1e999 V", "5 m2", "5 5 V", "5 /", "five V"})
    EXPECT_THROW((void)parse_quantity(bad), std::invalid_argument) << bad;
}

TEST(ToUnit, ConvertsOrSaysWhatIsWrong) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(*to_unit("0.5 Ohm", Unit::parse("Ohm")).value, 0.5);
  EXPECT_EQ(*to_unit("5 mm", Unit::parse("m")).value, 0.005);
  EXPECT_EQ(*to_unit("3", Unit::parse("")).value, 3.0);
  EXPECT_EQ(*to_unit("50 %", Unit::parse("")).value, 0.5);
  EXPECT_EQ(*to_unit("4.1 mm", Unit::parse("m")).value, 0.0041);
  EXPECT_EQ(*to_unit("0.07 %", Unit::parse("")).value, 0.0007);
  EXPECT_EQ(*to_unit("1.005 s", Unit::parse("us")).value, 1005000.0);
  EXPECT_EQ(*to_unit("-2.1 kN", Unit::parse("g m/s^2")).value, -2.1e6);
  texts.add(to_unit("5", Unit::parse("V")).problem);
  texts.add(to_unit("5 A", Unit::parse("V")).problem);
  texts.add(to_unit("5 A", Unit::parse("")).problem);
  texts.add(to_unit("much", Unit::parse("V")).problem);
  EXPECT_FALSE(to_unit("1e308 km", Unit::parse("um")));
  EXPECT_FALSE(to_unit("1e-315 um", Unit::parse("km")));
}

TEST(ReadQuantity, PointsAtThePlace) {
  tactus::test::Snapshot texts;
  Problems problems;
  const Node bad = Node::scalar("5", {"rig.yaml", 3, 7});
  EXPECT_FALSE(read_quantity(bad, "models.motor.parameters.inertia", Unit::parse("kg m^2"), problems));
  EXPECT_FALSE(read_quantity(Node::null({"rig.yaml", 4, 7}), "a", Unit::parse("V"), problems));
  EXPECT_FALSE(read_quantity(Node::list({}, {"rig.yaml", 5, 7}), "b", Unit::parse("V"), problems));
  texts.add(problems.text());
  EXPECT_EQ(read_quantity(Node::scalar("0.02 kg m^2"), "x", Unit::parse("kg m^2"), problems), 0.02);
}

TEST(PrintQuantity, ReadsBack) {
  const Unit unit = Unit::parse("rad/s");
  EXPECT_EQ(print_quantity(0.1, unit), "0.1 rad/s");
  EXPECT_EQ(*to_unit(print_quantity(1.0 / 3, unit), unit).value, 1.0 / 3);
}

TEST(Quantity, AUnitThatIsNotKnownIsCalledThatAndNotAWrongDimension) {
  const struct {
    const char* text;
    const char* declared;
    const char* problem;
  } rows[] = {
      {"5 fot", "m", "'5 fot': the unit 'fot' is not known (docs/units.md); did you mean 'ft'?"},
      {"5 psy", "bar", "'5 psy': the unit 'psy' is not known (docs/units.md); did you mean 'psi'?"},
      {"5 furlongs/s", "m/s",
       "'5 furlongs/s': the unit 'furlongs' is not known (docs/units.md); 'm/s', or what converts to it, is "
       "expected"},
      {"5 cuonts", "counts",
       "'5 cuonts': the unit 'cuonts' is not known (docs/units.md); did you mean 'counts'?"},
      {"5 furlongs", "",
       "'5 furlongs': the unit 'furlongs' is not known (docs/units.md); a pure number is expected"},
      {"5 kg", "m", "'5 kg' has the wrong dimension: 'kg' does not convert to 'm'"},
      {"5 counts", "counts/s", "'5 counts' has the wrong dimension: 'counts' does not convert to 'counts/s'"},
  };
  for (const auto& row : rows) {
    const Parsed<double> read = to_unit(row.text, Unit::parse(row.declared));
    EXPECT_FALSE(read) << row.text;
    EXPECT_EQ(read.problem, row.problem);
  }
}

}  // namespace
}  // namespace tactus::config::quantity_test
