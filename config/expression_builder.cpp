// SPDX-License-Identifier: Apache-2.0
#include "config/expression_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/text.hpp"

namespace tactus::config {

using Part = Expression::Kind;
using Value = ExpressionValue;

namespace {

/// The sign of what is made of numbers alone; 0: also of what is not known.
int sign_of(const Expression& expression) {
  switch (expression.kind) {
    case Part::number: {
      const std::string& word = expression.word;
      if (word.find_first_of("123456789") >= word.find_first_of("eE")) return 0;
      return word.starts_with('-') ? -1 : 1;
    }
    case Part::negated:
      return -sign_of(expression.parts[0]);
    case Part::binary: {
      const int a = sign_of(expression.parts[0]), b = sign_of(expression.parts[1]);
      if (expression.word == "*" || expression.word == "/") return a * b;
      return a == (expression.word == "+" ? b : -b) ? a : 0;
    }
    default:
      return 0;
  }
}

}  // namespace

/// Returns what `compile` does, and nothing if it refuses.
template <class Compile>
auto ExpressionBuilder::tried(Complaints& problems, Compile compile) -> std::optional<decltype(compile())> {
  complaints_ = &problems;
  try {
    return compile();
  } catch (const Refused&) {
    return std::nullopt;
  }
}

std::optional<Value> ExpressionBuilder::add(const Expression& expression, Complaints& problems) {
  return tried(problems, [&] { return settled(compile(expression)); });
}

std::optional<Value> ExpressionBuilder::add_measure(const Expression& expression, Complaints& problems) {
  whole_run_ = true;
  auto value = add(expression, problems);
  whole_run_ = false;
  if (value && value->type != CellType::truth) *value = in_written_unit(expression, real(*value));
  return value;
}

std::optional<Value> ExpressionBuilder::add_condition(const Expression& expression, Complaints& problems) {
  return tried(problems, [&] { return truth(expression, "here"); });
}

std::optional<std::pair<Value, Value>> ExpressionBuilder::add_tolerance(const Expression& within) {
  Complaints unused;
  return tried(unused, [&] {
    auto [x, y] = compile_pair(within.parts[0], within.parts[2]);
    x = unify(within.parts[0], x, within.parts[2], y).first;
    const Unit unit = x.unit.without_zero_point();
    const Value tolerance = real(in_unit(within.parts[1], number(within.parts[1], "here"), unit));
    return std::pair(real(x), tolerance);
  });
}

std::optional<Value> ExpressionBuilder::add_limit(const Expression& condition) {
  if (condition.kind != Part::compared || condition.parts[0].kind != Part::name) return std::nullopt;
  Complaints unused;
  return tried(unused, [&] {
    auto [a, b] = compile_pair(condition.parts[0], condition.parts[1]);
    return real(unify(condition.parts[0], a, condition.parts[1], b).second);
  });
}

std::int64_t ExpressionBuilder::ticks_of(Nanoseconds time) const {
  const Wide scaled = static_cast<Wide>(time.count()) * choices_.tick.den();
  const Wide ticks = (scaled + choices_.tick.num() - 1) / choices_.tick.num();
  return static_cast<std::int64_t>(std::max<Wide>(ticks, 1));
}

std::uint32_t ExpressionBuilder::add_event(const Value& condition, bool each) {
  const std::uint32_t rise = condition.is_event ? condition.cell : add_rise(condition.cell);
  return each ? rise : emit(Operation::once, rise);
}

std::uint32_t ExpressionBuilder::add_rise(std::uint32_t cell) { return emit(Operation::rise, cell); }

std::uint32_t ExpressionBuilder::add_count(std::uint32_t cell, bool is_event) {
  return emit(Operation::count, is_event ? cell : add_rise(cell));
}

/// Marks what is made of a difference of temperatures: it is no temperature.
Value ExpressionBuilder::compile(const Expression& expression) {
  const bool before = std::exchange(difference_, false);
  Value value = compile_part(expression);
  value.difference =
      (value.difference || difference_) && value.type != CellType::truth && !value.unit.has_zero_point();
  difference_ = before || value.difference;
  return value;
}

Value ExpressionBuilder::compile_part(const Expression& expression) {
  switch (expression.kind) {
    case Part::number:
      return compile_number(expression);
    case Part::truth:
      return result(CellType::truth, constant(expression.word == "yes" ? 1 : 0));
    case Part::name:
      return compile_name(expression);
    case Part::recording:
      return compile_recording(expression, "");
    case Part::negated: {
      Value value = settled(number(expression.parts[0], "after -"));
      no_zero_point(expression.parts[0], value);
      const bool whole = value.type == CellType::whole;
      return result(value.type, emit(whole ? Operation::negate_whole : Operation::negate, value.cell),
                    value.unit);
    }
    case Part::power: {
      Value value = settled(number(expression.parts[0], "before ^"));
      no_zero_point(expression.parts[0], value);
      value = real(value);
      Instruction instruction{.operation = Operation::power, .a = value.cell, .ticks = expression.exponent};
      try {
        return result(CellType::real, emit(instruction), power(value.unit, expression.exponent));
      } catch (const std::invalid_argument& error) {
        refuse(expression, error.what());
      }
    }
    case Part::binary:
      return compile_binary(expression);
    case Part::compared:
      return compile_compared(expression);
    case Part::within:
      return compile_within(expression);
    case Part::held:
      return compile_held(expression);
    case Part::call:
      return compile_call(expression);
    case Part::inverted:
    case Part::all:
    case Part::any:
      return compile_logic(expression);
  }
  return {};
}

Value ExpressionBuilder::compile_binary(const Expression& expression) {
  const Expression& a = expression.parts[0];
  const Expression& b = expression.parts[1];
  auto [left, right] = compile_pair(a, b);
  if (left.type == CellType::truth || right.type == CellType::truth)
    refuse(left.type == CellType::truth ? a : b,
           "a number is expected, but this is a condition, true or false");
  const char sign = expression.word.front();
  const auto refuse_literal_zero = [&](const Expression& at, const Value& value) {
    if (value.literal != nullptr) no_zero_point(at, value);
  };
  const bool apart = sign == '-' && (left.literal == nullptr || right.literal == nullptr) &&
                     left.unit.has_zero_point() && right.unit.has_zero_point();
  if (!apart) refuse_literal_zero(a, left);
  if (!apart) refuse_literal_zero(b, right);
  if (sign == '+' || sign == '-') {
    const bool from_zero = left.unit.has_zero_point();
    const bool both = from_zero && right.unit.has_zero_point();
    if (right.unit.has_zero_point() && (sign == '+' || !from_zero)) no_zero_point(b, right);
    Unit unit = left.unit;
    if (from_zero && !both) {  // 20 degC + 5 K
      if (right.literal == nullptr && !compatible(right.unit, unit)) unify(a, left, b, right);
      right = real(in_unit(b, right, unit.without_zero_point()));
      left = real(left);
    } else {
      std::tie(left, right) = unify(a, left, b, right);
      unit = both ? left.unit.without_zero_point() : left.unit;
    }
    const bool whole = left.type == CellType::whole;
    Value sum = result(left.type,
                       emit(sign == '+' ? (whole ? Operation::add_whole : Operation::add)
                                        : (whole ? Operation::subtract_whole : Operation::subtract),
                            left.cell, right.cell),
                       unit);
    sum.difference = both;
    return sum;
  }
  no_zero_point(a, left);
  no_zero_point(b, right);
  left = settled(left);
  right = settled(right);
  try {
    if (sign == '*' && left.type == CellType::whole && right.type == CellType::whole)
      return result(CellType::whole, emit(Operation::multiply_whole, left.cell, right.cell),
                    product(left.unit, right.unit));
    left = real(left);
    right = real(right);
    return result(CellType::real,
                  emit(sign == '*' ? Operation::multiply : Operation::divide, left.cell, right.cell),
                  product(left.unit, sign == '*' ? right.unit : power(right.unit, -1)));
  } catch (const std::invalid_argument& error) {
    refuse(expression, error.what());
  }
}

/// A name that is one of the values of the other side: motor.mode == braking.
std::optional<Value> ExpressionBuilder::label(const Expression& name, const Value& other) {
  const bool is_truth = name.kind == Part::truth;  // also yes and no can be names of values
  if ((name.kind != Part::name && !is_truth) || other.labels == nullptr) return std::nullopt;
  for (const auto& [label, value] : *other.labels)
    if (label == (is_truth ? name.unit : name.word)) {
      if (other.type == CellType::truth) return result(CellType::truth, constant(value == 0 ? 0 : 1));
      return result(CellType::whole, whole_constant(value), other.unit);
    }
  if (is_truth || (name.word.find('.') != std::string::npos && !name.quoted)) return std::nullopt;
  std::string why;
  if (names_.find(name.word, why)) return std::nullopt;
  std::vector<std::string> known;
  for (const auto& [label, value] : *other.labels) known.push_back(label);
  refuse(name, show(name.word) + " is not a name of its values; " + hint(name.word, known));
}

Value ExpressionBuilder::compile_compared(const Expression& expression) {
  const Expression& a = expression.parts[0];
  const Expression& b = expression.parts[1];
  const std::string& sign = expression.word;
  const bool name_first = a.kind == Part::name && a.word.find('.') == std::string::npos &&
                          b.kind == Part::name && b.word.find('.') != std::string::npos;
  Value left, right;
  if (name_first) {  // braking == motor.mode
    right = compile(b);
    const auto known = label(a, right);
    left = known ? *known : compile(a);
  } else {
    std::optional<Value> first;
    try {
      first = compile(a);
    } catch (const Refused&) {
      if (b.kind != Part::name || b.word.find('.') != std::string::npos) (void)compile(b);
      throw;
    }
    left = *first;
    const auto known = label(b, left);
    right = known ? *known : compile(b);
  }
  const bool equality = sign == "==" || sign == "!=";
  // Older conditions compare a flag as the number 0 or 1.
  const auto as_number = [&](Value& value, const Value& other) {
    if (choices_.equal_reals && value.type == CellType::truth && other.literal != nullptr && !equality)
      value.type = CellType::real;
  };
  as_number(left, right);
  as_number(right, left);
  const auto as_truth = [&](const Expression& at, Value& value) {
    if (value.literal == nullptr || !value.literal->unit.empty()) return;
    if (value.literal->word != "0" && value.literal->word != "1")
      refuse(at, "a condition is yes or no, and not " + show(value.literal->word));
    value = result(CellType::truth, constant(value.literal->word == "1" ? 1 : 0));
  };
  if (left.type == CellType::truth) as_truth(b, right);
  if (right.type == CellType::truth) as_truth(a, left);
  if (left.type == CellType::truth && right.type == CellType::truth) {
    if (!equality)
      refuse(expression,
             "conditions can only be compared with == or !=; " + show(sign) + " compares numbers");
    return result(CellType::truth,
                  emit(sign == "==" ? Operation::same : Operation::differ, left.cell, right.cell));
  }
  std::tie(left, right) = unify(a, left, b, right);
  const bool whole = left.type == CellType::whole;
  if (equality && !whole && !choices_.equal_reals)
    refuse(expression, show(sign) + " of real numbers hardly ever holds; write 'x within D of y'" +
                           (sign == "==" ? "" : ", with 'not (...)' around it"));
  if (equality) {
    const bool is = sign == "==";
    return result(CellType::truth, emit(whole ? (is ? Operation::equal_whole : Operation::other_whole)
                                              : (is ? Operation::equal : Operation::other),
                                        left.cell, right.cell));
  }
  if (sign.front() == '>') std::swap(left, right);
  const bool strict = sign.size() == 1;
  return result(CellType::truth, emit(whole ? (strict ? Operation::below_whole : Operation::at_most_whole)
                                            : (strict ? Operation::below : Operation::at_most),
                                      left.cell, right.cell));
}

Value ExpressionBuilder::compile_within(const Expression& expression) {
  const Expression& x = expression.parts[0];
  const Expression& d = expression.parts[1];
  const Expression& y = expression.parts[2];
  auto [value, middle] = compile_pair(x, y);
  std::tie(value, middle) = unify(x, value, y, middle);
  Value tolerance = number(d, "after within");
  if (sign_of(d) < 0)
    refuse(d, "a tolerance cannot be below 0; write the distance that is allowed, as 5 mrad");
  no_zero_point(d, tolerance);
  const Unit unit = value.unit.without_zero_point();
  if (tolerance.literal == nullptr && !compatible(tolerance.unit, unit))
    refuse(d, "the units do not fit: the value is in " + value.unit.named() + ", and its tolerance in " +
                  tolerance.unit.named());
  tolerance = in_unit(d, tolerance, unit);
  if (value.type == CellType::whole && tolerance.type == CellType::whole)
    return result(CellType::truth,
                  emit(Operation::at_most_whole, distance(value, middle).cell, tolerance.cell));
  tolerance = real(tolerance);
  return result(CellType::truth,
                emit(Operation::at_most, real(distance(value, middle)).cell, tolerance.cell));
}

/// Returns how far two values of one type and unit are apart: of whole numbers a whole number, which is exact also where
/// a double cannot hold them.
Value ExpressionBuilder::distance(const Value& x, const Value& y) {
  const bool whole = x.type == CellType::whole;
  const std::uint32_t difference =
      emit(whole ? Operation::subtract_whole : Operation::subtract, x.cell, y.cell);
  return result(x.type, emit(whole ? Operation::absolute_whole : Operation::absolute, difference),
                x.unit.without_zero_point());
}

Value ExpressionBuilder::compile_held(const Expression& expression) {
  needs_time(expression);
  Instruction instruction{.operation = Operation::held,
                          .a = truth(expression.parts[0], "before 'for'").cell,
                          .ticks = ticks_of(expression.time)};
  return result(CellType::truth, emit(instruction));
}

Value ExpressionBuilder::compile_logic(const Expression& expression) {
  if (expression.kind == Part::inverted)
    return result(CellType::truth, emit(Operation::invert, truth(expression.parts[0], "after 'not'").cell));
  const char* const of = expression.kind == Part::all ? "beside 'and'" : "beside 'or'";
  std::optional<Value> left;
  try {
    left = truth(expression.parts[0], of);
  } catch (const Refused&) {
    (void)truth(expression.parts[1], of);  // all mistakes at once
    throw;
  }
  const Value right = truth(expression.parts[1], of);
  return result(CellType::truth, emit(expression.kind == Part::all ? Operation::both : Operation::either,
                                      left->cell, right.cell));
}

}  // namespace tactus::config
