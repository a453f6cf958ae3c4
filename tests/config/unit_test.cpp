// SPDX-License-Identifier: Apache-2.0
#include "config/unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/unit_table.hpp"

namespace tactus::config::unit_test {
namespace {

/// In SI base units, by NIST SP 811 (2008), appendix B.8, and table 5 for the prefixes.
TEST(Unit, IsWhatNistSays) {
  struct Row {
    const char* unit;
    double value;
    const char* in;
  };
  const Row rows[] = {
      {"g", 1e-3, "kg"},
      {"t", 1e3, "kg"},
      {"sr", 1, "rad^2"},
      {"deg", 1.745329251994330e-2, "rad"},
      {"°", 1.745329251994330e-2, "rad"},
      {"rev", 6.283185307179586, "rad"},
      {"rpm", 1.047197551196598e-1, "rad/s"},
      {"Hz", 1, "s^-1"},
      {"N", 1, "kg m s^-2"},
      {"Nm", 1, "kg m^2 s^-2"},
      {"J", 1, "kg m^2 s^-2"},
      {"Wh", 3.6e3, "J"},
      {"eV", 1.602176634e-19, "J"},
      {"W", 1, "J/s"},
      {"V", 1, "kg m^2 s^-3 A^-1"},
      {"Ohm", 1, "kg m^2 s^-3 A^-2"},
      {"ohm", 1, "Ohm"},
      {"Ω", 1, "Ohm"},
      {"\u2126", 1, "Ohm"},
      {"S", 1, "kg^-1 m^-2 s^3 A^2"},
      {"C", 1, "A s"},
      {"Ah", 3.6e3, "C"},
      {"F", 1, "kg^-1 m^-2 s^4 A^2"},
      {"Wb", 1, "kg m^2 s^-2 A^-1"},
      {"H", 1, "kg m^2 s^-2 A^-2"},
      {"T", 1, "kg s^-2 A^-1"},
      {"Pa", 1, "kg m^-1 s^-2"},
      {"bar", 1e5, "Pa"},
      {"L", 1e-3, "m^3"},
      {"l", 1e-3, "m^3"},
      {"lm", 1, "cd rad^2"},
      {"lx", 1, "cd rad^2 m^-2"},
      {"min", 60, "s"},
      {"h", 3.6e3, "s"},
      {"d", 8.64e4, "s"},
      {"%", 1e-2, ""},
      {"ppm", 1e-6, ""},
      {"in", 2.54e-2, "m"},
      {"ft", 3.048e-1, "m"},
      {"yd", 9.144e-1, "m"},
      {"mi", 1.609344e3, "m"},
      {"mph", 4.4704e-1, "m/s"},
      {"oz", 2.8349523125e-2, "kg"},
      {"lb", 4.5359237e-1, "kg"},
      {"lbf", 4.4482216152605, "N"},
      {"kgf", 9.80665, "N"},
      {"psi", 6894.757293168361, "Pa"},
      {"lbf/in^2", 6894.757293168361, "Pa"},
      {"atm", 1.01325e5, "Pa"},
      {"mmHg", 133.322387415, "Pa"},
      {"hp", 745.6998715822702, "W"},
      {"ft lbf", 1.3558179483314004, "J"},
      {"gal", 3.785411784e-3, "m^3"},
      {"Ym", 1e24, "m"},
      {"Zm", 1e21, "m"},
      {"Em", 1e18, "m"},
      {"Pm", 1e15, "m"},
      {"Tm", 1e12, "m"},
      {"Gm", 1e9, "m"},
      {"Mm", 1e6, "m"},
      {"km", 1e3, "m"},
      {"hm", 1e2, "m"},
      {"dam", 1e1, "m"},
      {"dm", 1e-1, "m"},
      {"cm", 1e-2, "m"},
      {"mm", 1e-3, "m"},
      {"um", 1e-6, "m"},
      {"µm", 1e-6, "m"},
      {"μm", 1e-6, "m"},
      {"nm", 1e-9, "m"},
      {"pm", 1e-12, "m"},
      {"fm", 1e-15, "m"},
      {"am", 1e-18, "m"},
      {"zm", 1e-21, "m"},
      {"ym", 1e-24, "m"},
  };
  for (const Row& row : rows) {
    const Unit in = Unit::parse(row.in);
    EXPECT_DOUBLE_EQ(convert(1, Unit::parse(row.unit), in), row.value) << row.unit;
  }
  const auto is_base = [](const KnownUnit& unit) {  // the others are made of it
    return unit.bases.size() == 1 && unit.bases[0].exponent == 1 && unit.bases[0].name == unit.symbol;
  };
  const auto has_row = [&](const std::string& symbol) {
    return std::any_of(std::begin(rows), std::end(rows), [&](const Row& row) { return row.unit == symbol; });
  };
  for (const KnownUnit& unit : known_units())
    EXPECT_TRUE(is_base(unit) || unit.offset != 0 || has_row(std::string(unit.symbol))) << unit.symbol;
  for (const UnitPrefix& prefix : unit_prefixes())
    EXPECT_TRUE(has_row(std::string(prefix.symbol) + "m")) << prefix.symbol;
  EXPECT_DOUBLE_EQ(convert(0, Unit::parse("degC"), Unit::parse("K")), 273.15);
  EXPECT_DOUBLE_EQ(convert(0, Unit::parse("°C"), Unit::parse("K")), 273.15);
  for (const char* const fahrenheit : {"degF", "°F"}) {
    EXPECT_DOUBLE_EQ(convert(32, Unit::parse(fahrenheit), Unit::parse("K")), 273.15);
    EXPECT_NEAR(convert(212, Unit::parse(fahrenheit), Unit::parse("degC")), 100, 1e-12);
    EXPECT_NEAR(convert(-40, Unit::parse("degC"), Unit::parse(fahrenheit)), -40, 1e-12);
    EXPECT_DOUBLE_EQ(convert(9, Unit::parse(std::string("W/") + fahrenheit), Unit::parse("W/K")), 16.2)
        << "a difference has no zero";
  }
}

TEST(Unit, KnowsWhatIsItsOwn) {
  EXPECT_TRUE(Unit::parse("kg m^2/s^2").unlisted().empty());
  EXPECT_TRUE(Unit::parse("mph/psi").unlisted().empty());
  EXPECT_EQ(Unit::parse("counts/fot").unlisted(), (std::vector<std::string>{"counts", "fot"}));
}

TEST(Unit, TheTableHasEachSymbolOnceAndNoPrefixedOne) {
  const std::vector<KnownUnit>& known = known_units();
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(known[i].symbol, known[k].symbol);
    EXPECT_FALSE(known[i].name.empty()) << known[i].symbol;
    if (!known[i].prefixes) continue;
    for (const UnitPrefix& prefix : unit_prefixes()) {
      const std::string symbol = std::string(prefix.symbol) + std::string(known[i].symbol);
      const Unit unit = Unit::parse(symbol);
      // min is the minute, cd the candela, ft the foot: the listed one wins.
      if (const KnownUnit* const listed = find_unit(symbol))
        EXPECT_EQ(unit.canonical(), Unit::parse(listed->symbol).canonical());
      else
        EXPECT_TRUE(unit.unlisted().empty()) << symbol;
    }
  }
}

TEST(Unit, SameMeansTheSameNumberPassesUnchanged) {
  struct Row {
    const char* a;
    const char* b;
    bool expected;
    const char* why;
  };
  const Row rows[] = {
      {"J", "N m", true, "work"},
      {"J", "kg m^2 / s^2", true, "in base units"},
      {"J", "kg·m²/s²", true, "with raised twos"},
      {"W", "V A", true, "power"},
      {"V", "W/A", true, "a slash"},
      {"Ohm", "V/A", true, "resistance"},
      {"Ω", "ohm", true, "three ways to write it"},
      {"\u2126", "\u03a9", true, "the sign and the Greek letter"},
      {"Hz", "1/s", true, "a rate"},
      {"Hz", "s^-1", true, "a rate, too"},
      {"rad/s", "Hz", false, "an angle is a base of its own"},
      {"rpm", "rev/min", true, "turns"},
      {"rad/s", "rpm", false, "another factor"},
      {"m", "mm", false, "another factor"},
      {"N*m", "N.m", true, "star or point"},
      {"Nm", "N m", true, "without anything between"},
      {"J/kg K", "J K/kg", true, "a slash divides by one factor only"},
      {"J/kg/K", "J/(kg K)", true, "heat capacity takes two slashes, or brackets"},
      {"J/kg K", "J/kg/K", false, "and is not to be had by one"},
      {"km/h", "m/s", false, "another factor"},
      {"", "1", true, "a pure number"},
      {"--", "1", true, "a pure number, as some tools write it"},
      {"m/m", "", true, "what cancels is a pure number"},
      {"%", "", false, "a hundredth"},
      {"counts", "teeth", false, "each unknown symbol is a base of its own"},
      {"counts", "counts", true, "but the same as itself"},
      {"counts/rev", "counts / rev", true, "with known ones, too"},
      {"rad", "", false, "an angle is no pure number"},
      {"K", "degC", false, "another zero"},
      {"W/K", "W/degC", true, "a difference has no zero"},
      {"V", "mV", false, "a prefix"},
      {"L", "dm^3", true, "a litre"},
      {"t", "Mg", true, "a tonne"},
      {"bar", "hPa", false, "a thousand apart"},
      {"mbar", "hPa", true, "not these"},
      {"Wb", "V s", true, "flux"},
      {"H", "Wb/A", true, "inductance"},
      {"T", "Wb/m^2", true, "flux density"},
      {"F", "A s/V", true, "capacitance"},
      {"deg", "°", true, "degrees"},
      {"µm", "um", true, "micro, in ASCII"},
      {"ms", "m s", false, "a millisecond is no metre second"},
  };
  for (const Row& row : rows) {
    const Unit a = Unit::parse(row.a);
    const Unit b = Unit::parse(row.b);
    EXPECT_EQ(same(a, b), row.expected) << row.a << " and " << row.b << ": " << row.why;
    EXPECT_EQ(same(b, a), row.expected) << row.b << " and " << row.a << ": " << row.why;
  }
}

TEST(Unit, CompatibleMeansTheSameDimensions) {
  EXPECT_TRUE(compatible(Unit::parse("km/h"), Unit::parse("m/s")));
  EXPECT_TRUE(compatible(Unit::parse("K"), Unit::parse("degC")));
  EXPECT_TRUE(compatible(Unit::parse("%"), Unit::parse("")));
  EXPECT_FALSE(compatible(Unit::parse("Hz"), Unit::parse("rad/s")));
  EXPECT_FALSE(compatible(Unit::parse("V"), Unit::parse("A")));
  EXPECT_FALSE(compatible(Unit::parse("counts"), Unit::parse("")));
}

TEST(Unit, ConvertsDecimalMultiplesWithOneRounding) {
  const auto convert_text = [](double value, const char* from, const char* to) {
    return convert(value, Unit::parse(from), Unit::parse(to));
  };
  EXPECT_EQ(convert_text(5, "mm", "m"), 0.005);
  EXPECT_EQ(convert_text(7, "um", "m"), 7e-6);
  EXPECT_EQ(convert_text(0.3, "m", "mm"), 300.0);
  EXPECT_EQ(convert_text(10, "g cm^2", "kg m^2"), 1e-6);
  EXPECT_EQ(convert_text(48, "V", "V"), 48.0);
  EXPECT_EQ(convert_text(200, "mV", "V"), 0.2);
  EXPECT_DOUBLE_EQ(convert_text(60, "rpm", "rad/s"), 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(convert_text(180, "deg", "rad"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(convert_text(36, "km/h", "m/s"), 10);
  EXPECT_DOUBLE_EQ(convert_text(20, "degC", "K"), 293.15);
  EXPECT_DOUBLE_EQ(convert_text(293.15, "K", "degC"), 20);
  EXPECT_EQ(convert_text(20, "degC", "degC"), 20.0);
  EXPECT_DOUBLE_EQ(convert_text(20, "W/degC", "W/K"), 20);
  EXPECT_EQ(convert_text(50, "%", ""), 0.5);
}

TEST(Unit, ThatDoesNotConvertNamesBoth) {
  try {
    (void)convert(1, Unit::parse("V"), Unit::parse("A"));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'V' (kg m^2/A/s^3) does not convert to 'A'");
  }
}

TEST(Unit, PrintsInBaseUnits) {
  EXPECT_EQ(Unit::parse("J").canonical(), "kg m^2/s^2");
  EXPECT_EQ(Unit::parse("Hz").canonical(), "1/s");
  EXPECT_EQ(Unit::parse("mm").canonical(), "0.001 m");
  EXPECT_EQ(Unit::parse("").canonical(), "1");
  EXPECT_EQ(Unit::parse("%").canonical(), "0.01");
  EXPECT_EQ(Unit::parse("degC").canonical(), "K + 273.15");
  EXPECT_EQ(Unit::parse(" kg m^2 ").text(), "kg m^2");
  EXPECT_EQ(Unit::parse("--").text(), "");
  for (const char* text : {"J", "V", "rad/s", "counts/rpm", "1/s", "T"}) {
    const Unit unit = Unit::parse(text);
    if (unit.canonical().find('.') != std::string::npos) continue;
    EXPECT_TRUE(same(Unit::parse(unit.canonical()), unit)) << "without a factor it reads back: " << text;
  }
}

TEST(Unit, MalformedTextSaysWhy) {
  struct Row {
    std::string text;
    const char* why;
  };
  const Row rows[] = {
      {"m2", "is ambiguous at 'm2'; write a power as 'm^2'"},
      {"m^", "needs a whole number after '^'"},
      {"m^x", "needs a whole number after '^'"},
      {"m^0", "has an exponent of 0"},
      {"m^100", "has an exponent beyond 99"},
      {"m^99 m^99", "has an exponent beyond 99"},
      {"m^9999999999999999999", "has an exponent beyond 99"},
      {"m^0.5", "has an exponent of 0"},
      {"/s", "has two separators in a row, or begins with one"},
      {"m//s", "has two separators in a row, or begins with one"},
      {"m/", "ends with a separator"},
      {"m*", "ends with a separator"},
      {"^2", "has a '^' with nothing before it"},
      {"2 m", "must not contain a number"},
      {"10", "must not contain a number"},
      {"m!", "is not understood at '!'"},
      {"(m", "lacks a ')'"},
      {"m)", "has a ')' too many"},
      {"()", "has nothing between its brackets"},
      {std::string(100, '(') + "m", "has more than 8 brackets inside each other"},
      {std::string(100'000, '('), "is longer than 200 characters"},
      {"Gm^99", "is too large or too small"},
      {"rpm^99 min^99 rev^99 h^99", "beyond 99"},
  };
  for (const Row& row : rows) {
    try {
      (void)Unit::parse(row.text);
      ADD_FAILURE() << row.text << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string{error.what()}.find(row.why), std::string::npos)
          << row.text << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace tactus::config::unit_test
