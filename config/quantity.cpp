// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "config/lookalike.hpp"
#include "config/text.hpp"
#include "config/unit_table.hpp"
#include "rtsync/host/installed.hpp"

namespace tactus::config {
namespace {

std::string example(std::string_view number, const Unit& unit) {
  std::string result{"'"};
  result.append(number);
  if (!unit.text().empty()) result.append(" ").append(unit.text());
  return result.append("'");
}

/// The first symbol of a unit that is not known, and does not occur in the declared one.
std::string unknown_symbol(const Unit& unit, const Unit& declared) {
  const std::vector<std::string> own = declared.unlisted();
  for (const std::string& symbol : unit.unlisted())
    if (std::ranges::find(own, symbol) == own.end()) return symbol;
  return "";
}

/// Unit that was probably meant: a similar one, of the declared dimension if there is one.
std::string unit_meant(const std::string& unknown, const Unit& declared) {
  std::vector<std::string> fitting = declared.unlisted();
  std::vector<std::string> known;
  for (const KnownUnit& unit : known_units()) {
    known.emplace_back(unit.symbol);
    if (compatible(Unit::parse(unit.symbol), declared)) fitting.emplace_back(unit.symbol);
  }
  std::string best = meant(unknown, fitting);
  if (best.empty()) best = meant(unknown, known);
  if (!best.empty()) return best.substr(2);
  return declared.text().empty() ? "a pure number is expected"
                                 : "'" + declared.text() + "', or what converts to it, is expected";
}

}  // namespace

Quantity parse_quantity(std::string_view text) {
  const NumberAndRest split = split_number(text);
  if (split.number.empty()) throw std::invalid_argument(show(text) + " does not begin with a number");
  const Parsed<double> value = parse_real(split.number);
  if (!value) throw std::invalid_argument(value.problem);
  if ((split.rest.starts_with("x") || split.rest.starts_with("X")) && split.rest.size() > 1 &&
      is_digit(split.rest[1]))
    throw std::invalid_argument(show(text) + " is hexadecimal; write it in decimal");
  return {*value.value, Unit::parse(split.rest)};
}

double to_unit(const Quantity& quantity, const Unit& declared) {
  return convert(quantity.value, quantity.unit, declared);
}

Parsed<double> to_unit(std::string_view text, const Unit& declared) {
  using Result = Parsed<double>;
  if (const std::string problem = number_problem(text); !problem.empty())
    return Result::failed(show(text) + problem);
  const NumberAndRest split = split_number(text);
  if (split.number.empty())
    return Result::failed(show(text) + " is not a quantity; write for example " + example("1.5", declared));
  if (split.rest.empty() && !declared.is_number())
    return Result::failed(show(text) + " has no unit; write for example " + example(split.number, declared));
  try {
    const Quantity quantity = parse_quantity(text);
    if (!compatible(quantity.unit, declared)) {
      if (const std::string unknown = unknown_symbol(quantity.unit, declared); !unknown.empty())
        return Result::failed(show(text) + ": the unit " + show(unknown) + " is not known (" +
                              rtsync::documentation("units.md") + "); " + unit_meant(unknown, declared));
      return Result::failed(show(text) + " has the wrong dimension: " +
                            (declared.text().empty()
                                 ? "a pure number is expected, without " + show(quantity.unit.text())
                                 : quantity.unit.named() + " does not convert to " + declared.named()));
    }
    // Decimal multiples are rounded once, as the decimal number that they are: 4.1 mm is the double 0.0041.
    const std::optional<int> power = decimal_power(quantity.unit, declared);
    const Result value = power ? parse_real(split.number, *power) : Result(to_unit(quantity, declared));
    if (!value || !std::isfinite(*value.value))
      return Result::failed(show(text) + " is too large or too close to 0 in " + declared.named());
    return value;
  } catch (const std::invalid_argument& error) {
    return Result::failed(show(text) + ": " + error.what());
  }
}

std::optional<double> read_quantity(const Node& node, const std::string& path, const Unit& declared,
                                    Problems& problems) {
  if (!node.is_scalar() || node.text().empty()) {
    problems.add(node.place(), path,
                 (node.is_null() || node.is_scalar()
                      ? std::string{"is empty"}
                      : std::string{"expected a quantity, found "} + kind_name(node.kind())) +
                     "; write for example " + example("1.5", declared));
    return std::nullopt;
  }
  const Parsed<double> parsed = to_unit(node.text(), declared);
  if (!parsed) problems.add(node.place(), path, parsed.problem);
  return parsed.value;
}

std::string print_quantity(double value, const Unit& unit) {
  return print_real(value) + (unit.text().empty() ? "" : " " + unit.text());
}

}  // namespace tactus::config
