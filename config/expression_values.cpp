// SPDX-License-Identifier: Apache-2.0
// Cells of a program: inputs, constants, and values brought to one unit.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "config/decimal.hpp"
#include "config/expression_builder.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"

namespace tactus::config {
namespace {

/// The number that digits are, perhaps behind a minus; nothing: the text has something else, or more than 37 digits.
std::optional<Wide> whole_of(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 37) return std::nullopt;
  Wide value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

/// The number of a literal without unit and fraction; nothing: it has one of them, or more than 37 digits.
std::optional<Wide> whole_of(const Expression& number) {
  return number.unit.empty() ? whole_of(number.word) : std::nullopt;
}

/// The whole number of units `to` that a unit `from` is; nothing: there is none, or their zero points differ.
std::optional<std::int64_t> whole_factor(const Unit& from, const Unit& to) {
  if ((from.has_zero_point() || to.has_zero_point()) && !same(from, to)) return std::nullopt;
  const double factor = convert(1, from, to);
  const bool is_whole = factor >= 1 && factor <= 0x1p53 && factor == std::nearbyint(factor);
  return is_whole ? std::optional(static_cast<std::int64_t>(factor)) : std::nullopt;
}

/// The whole number that a literal is in a unit, with all its digits; nothing: it is none, or the units differ by more
/// than a whole factor.
std::optional<Wide> whole_in(const Expression& number, const Unit& unit) {
  const Unit own = Unit::parse(number.unit);
  const Decimal decimal = to_decimal(number.word);
  if (decimal.digits.size() > 60 || std::abs(decimal.exponent) > 40) return std::nullopt;
  Rational value = exact(decimal);
  if (const auto factor = whole_factor(own, unit))
    value *= *factor;
  else if (const auto divisor = whole_factor(unit, own))
    value /= *divisor;
  else
    return std::nullopt;
  return denominator(value) == 1 ? whole_of(numerator(value).str()) : std::nullopt;
}

std::string literal_text(const Expression& number) {
  return number.word + (number.unit.empty() ? "" : " " + number.unit);
}

}  // namespace

using Value = ExpressionValue;

void ExpressionBuilder::refuse(const Expression& at, const std::string& why) {
  complaints_->push_back({at.at, why});
  throw Refused{};
}

std::uint32_t ExpressionBuilder::constant(double value) {
  const auto [found, is_new] = reals_.try_emplace(std::bit_cast<std::uint64_t>(value),
                                                  static_cast<std::uint32_t>(program_.cells.size()));
  if (is_new) program_.cells.push_back({.real = value});
  return found->second;
}

std::uint32_t ExpressionBuilder::whole_constant(Wide value) {
  const auto [found, is_new] =
      wholes_.try_emplace({static_cast<std::int64_t>(value >> 64), static_cast<std::uint64_t>(value)},
                          static_cast<std::uint32_t>(program_.cells.size()));
  if (is_new) program_.cells.push_back({.whole = value});
  return found->second;
}

/// The same operation of the same cells is done once: also one with a memory.
std::uint32_t ExpressionBuilder::emit(Instruction instruction) {
  const Shape shape{instruction.operation,    instruction.a,    instruction.b, instruction.parameter[0],
                    instruction.parameter[1], instruction.ticks};
  const auto [found, is_new] = emitted_.try_emplace(shape, static_cast<std::uint32_t>(program_.cells.size()));
  if (!is_new) return found->second;
  if (is_window(instruction.operation)) {
    instruction.memory = static_cast<std::uint32_t>(program_.windows.size());
    program_.windows.push_back(instruction.ticks);
  } else if (instruction.operation >= Operation::previous) {
    instruction.memory = program_.memory_cells;
    program_.memory_cells += instruction.operation >= Operation::whole_run_least ? 3 : 1;
  }
  instruction.to = found->second;
  program_.cells.push_back({.whole = 0});
  program_.instructions.push_back(instruction);
  return instruction.to;
}

std::uint32_t ExpressionBuilder::emit(Operation operation, std::uint32_t a, std::uint32_t b) {
  Instruction instruction{.operation = operation, .a = a, .b = b};
  return emit(instruction);
}

Value ExpressionBuilder::result(CellType type, std::uint32_t cell, const Unit& unit) {
  Value value;
  value.type = type;
  value.cell = cell;
  value.unit = unit;
  return value;
}

Value ExpressionBuilder::compile_number(const Expression& number) {
  Value value;
  value.literal = &number;
  value.unit = Unit::parse(number.unit);
  value.type = whole_of(number) ? CellType::whole : CellType::real;
  return value;
}

Value ExpressionBuilder::compile_name(const Expression& name) {
  std::string why;
  const auto found = names_.find(name.word, why);
  if (!found) refuse(name, why);
  return input(*found);
}

std::optional<ExpressionNames::Found> ExpressionNames::find_recording(const Expression& recording,
                                                                      const std::string&,
                                                                      std::string& why) const {
  why = show(recording.word) + " is a recording; recordings are only for expectations of a test";
  return std::nullopt;
}

Value ExpressionBuilder::compile_recording(const Expression& recording, const std::string& value) {
  std::string why;
  const auto found = names_.find_recording(recording, value, why);
  if (!found) refuse(recording, why);
  return input(*found);
}

Value ExpressionBuilder::input(const ExpressionNames::Found& found) {
  Value value;
  value.type = found.type;
  value.unit = found.unit;
  value.labels = found.labels;
  if (found.cell) {
    value.cell = *found.cell;
    value.is_event = true;
    return value;
  }
  const auto [known, is_new] =
      inputs_.try_emplace(found.key, static_cast<std::uint32_t>(program_.cells.size()));
  value.cell = known->second;
  if (!is_new) return value;
  program_.inputs.push_back({value.cell, found.key});
  program_.cells.push_back({.whole = 0});
  return value;
}

Value ExpressionBuilder::settled(Value value) {
  if (value.literal == nullptr) return value;
  const Expression& number = *std::exchange(value.literal, nullptr);
  const auto whole = whole_of(number);
  value.cell = whole ? whole_constant(*whole) : constant(*parse_real(number.word).value);
  return value;
}

Value ExpressionBuilder::real(Value value) {
  if (value.type != CellType::whole) return value;
  value.type = CellType::real;
  value.labels = nullptr;
  for (const auto& [parts, cell] : wholes_)
    if (cell == value.cell) {
      const Wide whole = (static_cast<Wide>(parts.first) << 64) | static_cast<Wide>(parts.second);
      value.cell = constant(static_cast<double>(whole));
      return value;
    }
  value.cell = emit(Operation::to_real, value.cell);
  return value;
}

Value ExpressionBuilder::in_unit(const Expression& at, Value value, const Unit& unit) {
  if (value.literal != nullptr) {
    const Expression& number = *std::exchange(value.literal, nullptr);
    const Parsed<double> converted = to_unit(literal_text(number), unit);
    if (!converted) refuse(at, converted.problem);
    value.unit = unit;
    auto whole = whole_in(number, unit);
    const double rounded = std::nearbyint(*converted.value);
    if (!whole && rounded == *converted.value && std::abs(rounded) < 9e15) whole = static_cast<Wide>(rounded);
    value.type = whole ? CellType::whole : CellType::real;
    value.cell = whole ? whole_constant(*whole) : constant(*converted.value);
    return value;
  }
  if (same(value.unit, unit)) return value;
  if (const auto factor = whole_factor(value.unit, unit); factor && value.type == CellType::whole) {
    value.cell = emit(Operation::multiply_whole, value.cell, whole_constant(*factor));
    value.unit = unit;
    value.labels = nullptr;
    return value;
  }
  value = real(value);
  const Unit from = value.unit.without_zero_point();
  const Unit to = unit.without_zero_point();
  const double factor = convert(1, from, to);
  const double divisor = convert(1, to, from);
  const bool shrinks = factor < 1 && divisor == std::nearbyint(divisor);
  Instruction instruction{.operation = shrinks ? Operation::shrink : Operation::scale, .a = value.cell};
  instruction.parameter[0] = shrinks ? divisor : factor;
  instruction.parameter[1] = convert(0, value.unit, unit);
  value.cell = emit(instruction);
  value.unit = unit;
  value.labels = nullptr;
  return value;
}

Unit ExpressionBuilder::written_unit(const Unit& unit) {
  const std::string text = unit.canonical();
  if (unit.text() != text) return unit;
  if (const auto written = Unit::find(text); written && same(*written, unit)) return unit;
  const std::size_t factor = text.find(' ');
  return factor == std::string::npos ? Unit() : Unit::parse(text.substr(factor + 1));
}

Value ExpressionBuilder::in_written_unit(const Expression& at, const Value& value) {
  if (value.literal != nullptr) return value;
  const Unit unit = written_unit(value.unit);
  return same(unit, value.unit) ? value : in_unit(at, value, unit);
}

Value ExpressionBuilder::number(const Expression& expression, const char* of) {
  const Value value = compile(expression);
  if (value.type == CellType::truth)
    refuse(expression, std::string(of) + " a number is expected, but this is a condition, true or false");
  return value;
}

Value ExpressionBuilder::truth(const Expression& expression, const char* of) {
  const Value value = compile(expression);
  if (value.type != CellType::truth)
    refuse(expression, std::string(of) +
                           " a condition is expected, but this is a number; compare it with something, as in "
                           "motor.speed > 300 rad/s");
  return value;
}

void ExpressionBuilder::no_zero_point(const Expression& at, const Value& value) {
  if (value.unit.has_zero_point())
    refuse(at,
           "'" + value.unit.text() +
               "' has a zero point of its own, so only differences can be taken; write a difference in '" +
               value.unit.canonical().substr(0, value.unit.canonical().find(" + ")) + "'");
}

void ExpressionBuilder::needs_time(const Expression& at) {
  if (choices_.once)
    refuse(at, show(at.word) +
                   " looks at several frames, and this is judged once, at the end of a run; compare "
                   "quantities of the run");
}

std::pair<Value, Value> ExpressionBuilder::compile_pair(const Expression& a, const Expression& b) {
  std::optional<Value> left;
  try {
    left = compile(a);
  } catch (const Refused&) {
    (void)beside(b, a);  // all mistakes at once
    throw;
  }
  return {*left, beside(b, a)};
}

/// A part whose meaning may depend on the one beside it: a recording has a column of the same name.
Value ExpressionBuilder::beside(const Expression& part, const Expression& other) {
  if (part.kind != Expression::Kind::recording) return compile(part);
  return compile_recording(part, other.kind == Expression::Kind::name ? other.word : "");
}

std::pair<Value, Value> ExpressionBuilder::unify(const Expression& a, Value left, const Expression& b,
                                                 Value right) {
  if (left.type == CellType::truth || right.type == CellType::truth) {
    const bool first = left.type == CellType::truth;
    refuse(first ? a : b, "a number is expected, but this is a condition, true or false");
  }
  if (left.difference) no_zero_point(b, right);
  if (right.difference) no_zero_point(a, left);
  if (left.literal != nullptr && right.literal == nullptr) {
    left = in_unit(a, left, right.unit);
  } else {
    left = settled(left);
    if (right.literal == nullptr && !compatible(left.unit, right.unit))
      refuse(b, "the units do not fit: the left side is " +
                    std::string(left.unit.text().empty() ? "" : "in ") + left.unit.named() +
                    ", and the right side " + (right.unit.text().empty() ? "" : "in ") + right.unit.named());
    right = in_unit(b, right, left.unit);
  }
  if (left.type != right.type) {
    left = real(left);
    right = real(right);
  }
  return {left, right};
}

}  // namespace tactus::config
