// SPDX-License-Identifier: Apache-2.0
// Margins of conditions: how far each is from where it would change.
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "config/expression_builder.hpp"

namespace tactus::config {

using Part = Expression::Kind;
using Value = ExpressionValue;

std::optional<Value> ExpressionBuilder::add_margin(const Expression& condition, std::string& why) {
  Complaints unused;
  complaints_ = &unused;
  why.clear();
  try {
    auto margin = margin_of(condition, why);
    if (!margin && why.empty()) why = "nothing in it is a comparison of numbers";
    if (margin) margin = in_written_unit(condition, *margin);
    return margin;
  } catch (const Refused&) {  // it was compiled before, so that is no mistake of its writer
    why = "it is too long";
    return std::nullopt;
  }
}

/// Returns a number that is infinite: above 0 if the condition holds, below 0 if it does not.
std::uint32_t ExpressionBuilder::add_infinity(std::uint32_t truth) {
  return emit(Operation::multiply, emit(Operation::subtract, truth, constant(0.5)),
              constant(std::numeric_limits<double>::infinity()));
}

/// Returns `number` where the condition holds not, and an infinity above it where it does.
std::uint32_t ExpressionBuilder::add_unless(std::uint32_t truth, std::uint32_t number) {
  const std::uint32_t one = constant(1);
  const std::uint32_t more =
      emit(Operation::subtract, emit(Operation::divide, one, emit(Operation::subtract, one, truth)),
           one);  // 0, inf
  return emit(Operation::add, more, number);
}

std::optional<Value> ExpressionBuilder::margin_of(const Expression& condition, std::string& why) {
  switch (condition.kind) {
    case Part::inverted: {
      auto inner = margin_of(condition.parts[0], why);
      if (inner) inner->cell = emit(Operation::negate, inner->cell);
      return inner;
    }
    case Part::held:
      return margin_of_held(condition, why);
    case Part::all:
    case Part::any:
      return margin_of_two(condition, why);
    case Part::within: {
      auto [x, y] = compile_pair(condition.parts[0], condition.parts[2]);
      std::tie(x, y) = unify(condition.parts[0], x, condition.parts[2], y);
      const Unit unit = x.unit.without_zero_point();
      const Value tolerance = real(in_unit(condition.parts[1], number(condition.parts[1], "here"), unit));
      return result(CellType::real, emit(Operation::subtract, tolerance.cell, real(distance(x, y)).cell),
                    unit);
    }
    case Part::compared:
      return margin_of_compared(condition);
    default:
      return std::nullopt;
  }
}

std::optional<Value> ExpressionBuilder::margin_of_compared(const Expression& condition) {
  if (condition.word == "!=") return std::nullopt;
  Value a, b;
  try {
    std::tie(a, b) = compile_pair(condition.parts[0], condition.parts[1]);
    if (a.type == CellType::truth || b.type == CellType::truth) return std::nullopt;
    std::tie(a, b) = unify(condition.parts[0], a, condition.parts[1], b);
  } catch (const Refused&) {
    return std::nullopt;  // a label, as in mode > idle
  }
  const bool whole = a.type == CellType::whole;
  const bool equality = condition.word == "==";
  if (equality && (!whole || a.labels != nullptr || b.labels != nullptr)) return std::nullopt;
  const std::uint32_t equal = equality ? emit(Operation::equal_whole, a.cell, b.cell) : 0;
  a = real(a);
  b = real(b);
  const Unit unit = a.unit.without_zero_point();
  if (equality) {
    const std::uint32_t beyond =
        emit(Operation::negate, emit(Operation::absolute, emit(Operation::subtract, a.cell, b.cell)));
    return result(CellType::real, add_unless(equal, beyond), unit);
  }
  if (condition.word.front() == '<') std::swap(a, b);
  return result(CellType::real, emit(Operation::subtract, a.cell, b.cell), unit);
}

/// Returns the margin of `C for T`: the least of C in that time. It says nothing until the condition may hold at all.
std::optional<Value> ExpressionBuilder::margin_of_held(const Expression& condition, std::string& why) {
  const auto inner = margin_of(condition.parts[0], why);
  if (!inner) return std::nullopt;
  Instruction window{
      .operation = Operation::window_least, .a = inner->cell, .ticks = ticks_of(condition.time)};
  check_window(condition, window.ticks);
  const std::uint32_t least = emit(window);
  const std::uint32_t holds_not = emit(Operation::invert, compile_held(condition).cell);
  const std::uint32_t early = emit(Operation::both, holds_not, emit(Operation::below, constant(0), least));
  // The least of two, and no sum: both may be infinite.
  const std::uint32_t most = add_infinity(emit(Operation::invert, early));
  return result(CellType::real, emit(Operation::least, least, most), inner->unit);
}

std::optional<Value> ExpressionBuilder::margin_of_two(const Expression& condition, std::string& why) {
  auto left = margin_of(condition.parts[0], why);
  if (!left && !why.empty()) return std::nullopt;
  auto right = margin_of(condition.parts[1], why);
  if (!right && !why.empty()) return std::nullopt;
  if (!left && !right) return std::nullopt;
  if (left && right && !compatible(left->unit, right->unit)) {
    const auto named = [](const Unit& unit) { return unit.text().empty() ? "numbers" : unit.text(); };
    why = "its parts have different units: " + named(left->unit) + ", " + named(right->unit);
    return std::nullopt;
  }
  const Unit unit = left ? left->unit : right->unit;
  const auto cell_of = [&](const std::optional<Value>& margin, const Expression& part) {
    return margin ? in_unit(part, *margin, unit).cell : add_infinity(truth(part, "here").cell);
  };
  const std::uint32_t a = cell_of(left, condition.parts[0]), b = cell_of(right, condition.parts[1]);
  return result(CellType::real,
                emit(condition.kind == Part::all ? Operation::least : Operation::greatest, a, b), unit);
}

}  // namespace tactus::config
