// SPDX-License-Identifier: Apache-2.0
#include "config/unit_table.hpp"

#include <numbers>

#include "config/unit.hpp"

namespace tactus::config {

const std::vector<KnownUnit>& known_units() {
  constexpr double kPi = std::numbers::pi;
  static const std::vector<KnownUnit> known{
      {"kg", "kilogram", {{"kg", 1}}},
      {"g", "gram", {{"kg", 1}}, 1, -3, true},
      {"t", "tonne", {{"kg", 1}}, 1, 3},
      {"m", "metre", {{"m", 1}}, 1, 0, true},
      {"s", "second", {{"s", 1}}, 1, 0, true},
      {"A", "ampere", {{"A", 1}}, 1, 0, true},
      {"K", "kelvin", {{"K", 1}}, 1, 0, true},
      {"mol", "mole", {{"mol", 1}}, 1, 0, true},
      {"cd", "candela", {{"cd", 1}}, 1, 0, true},
      {"rad", "radian", {{"rad", 1}}, 1, 0, true},
      {"sr", "steradian", {{"rad", 2}}},
      {"deg", "degree of angle", {{"rad", 1}}, kPi / 180},
      {"°", "degree of angle", {{"rad", 1}}, kPi / 180},
      {"rev", "revolution", {{"rad", 1}}, 2 * kPi},
      {"rpm", "revolutions per minute", {{"rad", 1}, {"s", -1}}, 2 * kPi / 60},
      {"Hz", "hertz", {{"s", -1}}, 1, 0, true},
      {"N", "newton", {{"kg", 1}, {"m", 1}, {"s", -2}}, 1, 0, true},
      {"Nm", "newton metre", {{"kg", 1}, {"m", 2}, {"s", -2}}, 1, 0, true},
      {"J", "joule", {{"kg", 1}, {"m", 2}, {"s", -2}}, 1, 0, true},
      {"Wh", "watt hour", {{"kg", 1}, {"m", 2}, {"s", -2}}, 3600, 0, true},
      {"eV", "electronvolt", {{"kg", 1}, {"m", 2}, {"s", -2}}, 1.602176634, -19, true},
      {"W", "watt", {{"kg", 1}, {"m", 2}, {"s", -3}}, 1, 0, true},
      {"V", "volt", {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -1}}, 1, 0, true},
      {"Ohm", "ohm", {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -2}}, 1, 0, true},
      {"ohm", "ohm", {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -2}}, 1, 0, true},
      {"Ω", "ohm", {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -2}}, 1, 0, true},       // U+03A9, the Greek letter
      {"\u2126", "ohm", {{"kg", 1}, {"m", 2}, {"s", -3}, {"A", -2}}, 1, 0, true},  // U+2126, the sign
      {"S", "siemens", {{"kg", -1}, {"m", -2}, {"s", 3}, {"A", 2}}, 1, 0, true},
      {"C", "coulomb", {{"A", 1}, {"s", 1}}, 1, 0, true},
      {"Ah", "ampere hour", {{"A", 1}, {"s", 1}}, 3600, 0, true},
      {"F", "farad", {{"kg", -1}, {"m", -2}, {"s", 4}, {"A", 2}}, 1, 0, true},
      {"Wb", "weber", {{"kg", 1}, {"m", 2}, {"s", -2}, {"A", -1}}, 1, 0, true},
      {"H", "henry", {{"kg", 1}, {"m", 2}, {"s", -2}, {"A", -2}}, 1, 0, true},
      {"T", "tesla", {{"kg", 1}, {"s", -2}, {"A", -1}}, 1, 0, true},
      {"Pa", "pascal", {{"kg", 1}, {"m", -1}, {"s", -2}}, 1, 0, true},
      {"bar", "bar", {{"kg", 1}, {"m", -1}, {"s", -2}}, 1, 5, true},
      {"L", "litre", {{"m", 3}}, 1, -3, true},
      {"l", "litre", {{"m", 3}}, 1, -3, true},
      {"lm", "lumen", {{"cd", 1}, {"rad", 2}}},
      {"lx", "lux", {{"cd", 1}, {"rad", 2}, {"m", -2}}},
      {"min", "minute", {{"s", 1}}, 60},
      {"h", "hour", {{"s", 1}}, 3600},
      {"d", "day", {{"s", 1}}, 86400},
      {"%", "per cent", {}, 1, -2},
      {"ppm", "parts per million", {}, 1, -6},
      {"degC", "degree Celsius", {{"K", 1}}, 1, 0, false, 273.15},
      {"°C", "degree Celsius", {{"K", 1}}, 1, 0, false, 273.15},
      // Customary units, exact by definition (NIST SP 811, appendix B.8), but for mmHg (conventional) and hp
      // (550 ft lbf/s).
      {"in", "inch", {{"m", 1}}, 2.54, -2},
      {"ft", "foot", {{"m", 1}}, 3.048, -1},
      {"yd", "yard", {{"m", 1}}, 9.144, -1},
      {"mi", "mile", {{"m", 1}}, 1.609344, 3},
      {"mph", "mile per hour", {{"m", 1}, {"s", -1}}, 4.4704, -1},
      {"oz", "ounce (mass)", {{"kg", 1}}, 2.8349523125, -2},
      {"lb", "pound (mass)", {{"kg", 1}}, 4.5359237, -1},
      {"lbf", "pound-force", {{"kg", 1}, {"m", 1}, {"s", -2}}, 4.4482216152605},
      {"kgf", "kilogram-force", {{"kg", 1}, {"m", 1}, {"s", -2}}, 9.80665},
      {"psi", "pound-force per square inch", {{"kg", 1}, {"m", -1}, {"s", -2}}, 4.4482216152605 / 6.4516, 4},
      {"atm", "standard atmosphere", {{"kg", 1}, {"m", -1}, {"s", -2}}, 1.01325, 5},
      {"mmHg", "millimetre of mercury", {{"kg", 1}, {"m", -1}, {"s", -2}}, 1.33322387415, 2},
      {"hp", "horsepower (mechanical)", {{"kg", 1}, {"m", 2}, {"s", -3}}, 550 * 0.3048 * 4.4482216152605},
      {"gal", "gallon (US)", {{"m", 3}}, 3.785411784, -3},
      {"degF", "degree Fahrenheit", {{"K", 1}}, 5.0 / 9, 0, false, 459.67 * 5 / 9},
      {"°F", "degree Fahrenheit", {{"K", 1}}, 5.0 / 9, 0, false, 459.67 * 5 / 9},
  };
  return known;
}

std::span<const UnitPrefix> unit_prefixes() {
  static constexpr UnitPrefix kPrefixes[] = {
      {"da", 1}, {"Y", 24},  {"Z", 21},  {"E", 18},  {"P", 15},  {"T", 12}, {"G", 9},  {"M", 6},
      {"k", 3},  {"h", 2},   {"d", -1},  {"c", -2},  {"m", -3},  {"u", -6}, {"µ", -6}, {"μ", -6},
      {"n", -9}, {"p", -12}, {"f", -15}, {"a", -18}, {"z", -21}, {"y", -24}};
  return kPrefixes;
}

const KnownUnit* find_unit(std::string_view symbol) {
  for (const KnownUnit& unit : known_units())
    if (unit.symbol == symbol) return &unit;
  return nullptr;
}

std::string units_page() {
  std::string page =
      "# Units\n\n"
      "What `tactus check --units` prints. A quantity is a number and a unit: `5 mm`, `10 g cm^2`,\n"
      "`1.5 kg m^2/s^2`.\n\n"
      "A slash divides by the factor after it and by nothing more: heat capacity is `J/kg/K` or\n"
      "`J/(kg K)`. A power is `m^2` or `m²`. No unit, `1` and `--` are a pure number. A symbol that is not\n"
      "listed, such as `counts` or `teeth`, is a unit of its own, and converts to nothing else.\n\n"
      "The radian is a base of its own, so that `Hz` and `rad/s` never meet. `degC` and `degF` have their "
      "zero\n"
      "point only where they stand alone; in `W/degC` they are differences.\n\n"
      "| unit | is a | in base units | prefixes |\n|---|---|---|---|\n";
  for (const KnownUnit& unit : known_units()) {
    const std::string symbol(unit.symbol);
    page += "| `" + symbol + "` | " + std::string(unit.name) + " | " + Unit::parse(symbol).canonical() +
            (unit.prefixes ? " | yes |\n" : " | |\n");
  }
  page += "\n| prefix | factor |\n|---|---|\n";
  for (const UnitPrefix& prefix : unit_prefixes())
    page += "| `" + std::string(prefix.symbol) + "` | 10^" + std::to_string(prefix.power) + " |\n";
  return page;
}

}  // namespace tactus::config
