// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/campaign/file/vary.hpp"

namespace tactus::campaign {
namespace {

using config::Expression;
using config::ExpressionError;
using config::Unit;

/// Value of a part of a condition.
struct Result {
  enum class Kind { number, truth, word };
  Kind kind = Kind::number;
  double number = 0;
  Unit unit{};
  bool truth = false;
  std::string word{};
  bool absent = false;  ///< made of a key that has no value here
};

class Evaluation {
 public:
  Evaluation(const std::vector<Vary>& vary, const std::vector<const Value*>& values)
      : vary_(vary), values_(values) {}

  Result of(const Expression& part) const {
    using enum Expression::Kind;
    switch (part.kind) {
      case number:
        return number_of(part);
      case truth:
        return truth_of(part.word == "yes" || part.word == "true");
      case name:
        return name_of(part);
      case negated: {
        Result result = number_in(part.parts[0]);
        result.number = -result.number;
        return result;
      }
      case binary:
        return arithmetic(part);
      case compared:
        return compare(part);
      case within: {
        const Result value = number_in(part.parts[0]),
                     tolerance = number_in(part.parts[1], &value.unit, true),
                     middle = number_in(part.parts[2], &value.unit);
        return known({value, tolerance, middle}, std::abs(value.number - middle.number) <= tolerance.number);
      }
      case inverted: {
        const Result result = truth_in(part.parts[0]);
        return known({result}, !result.truth);
      }
      case all:
      case any: {
        const bool both = part.kind == all;
        bool truth = both;
        for (const Expression& each :
             part.parts) {  // all of them, so that mistakes show whatever the values are
          const Result result = truth_in(each);
          truth = both ? truth && result.truth : truth || result.truth;
        }
        return truth_of(truth);
      }
      case call:
        return call_of(part);
      default:
        throw ExpressionError(part.at,
                              "cannot be used with values of a case; use comparisons, and, or, not, +, -, *, "
                              "/, abs(), min(), max() or within");
    }
  }

 private:
  static Result truth_of(bool truth) { return {.kind = Result::Kind::truth, .truth = truth}; }
  /// A truth, false where one of its parts has no value.
  static Result known(const std::vector<Result>& parts, bool truth) {
    Result result = truth_of(truth);
    for (const Result& part : parts) result.absent |= part.absent;
    if (result.absent) result.truth = false;
    return result;
  }

  /// Returns what `make` does; a mistake in its units is one of that part.
  template <class Make>
  static auto made_at(const Expression& part, Make make) {
    try {
      return make();
    } catch (const std::invalid_argument& error) {
      throw ExpressionError(part.at, error.what());
    }
  }

  static Result number_of(const Expression& part) {
    const auto quantity = made_at(part, [&] { return config::parse_quantity(part.word + " " + part.unit); });
    return {.number = quantity.value, .unit = quantity.unit};
  }

  Result name_of(const Expression& part) const {
    std::string why;
    const auto key = find_key(vary_, part.word, why);
    if (!key) {
      Result word{.kind = Result::Kind::word};
      word.word = part.word;
      for (const Vary& vary : vary_)
        for (const Value& value : vary.list)
          if (value.is_word && value.text == part.word) return word;
      throw ExpressionError(part.at, why);
    }
    const Value* const value = values_[*key];
    Result result{.unit = vary_[*key].unit};
    const bool is_word = !vary_[*key].list.empty() && vary_[*key].list.front().is_word;
    if (is_word) result.kind = Result::Kind::word;
    if (value == nullptr) {
      result.absent = true;
      return result;
    }
    result.number = value->number;
    if (is_word) result.word = value->text;
    return result;
  }

  Result number_in(const Expression& part, const Unit* unit = nullptr, bool difference = false) const {
    Result result = of(part);
    if (result.kind != Result::Kind::number) throw ExpressionError(part.at, "a number is expected here");
    if (unit == nullptr) return result;
    const Unit& wanted = difference ? unit->without_zero_point() : *unit;
    const Unit from = difference ? result.unit.without_zero_point() : result.unit;
    result.number = made_at(part, [&] { return config::convert(result.number, from, wanted); });
    result.unit = wanted;
    return result;
  }

  Result truth_in(const Expression& part) const {
    Result result = of(part);
    if (result.kind == Result::Kind::word && (result.word == "yes" || result.word == "no")) {
      result.kind = Result::Kind::truth;
      result.truth = result.word == "yes";
    }
    if (result.kind != Result::Kind::truth)
      throw ExpressionError(part.at, "a condition is expected here; compare it, as `x > 5 V`");
    return result;
  }

  Result arithmetic(const Expression& part) const {
    Result left = number_in(part.parts[0]);
    const bool sum = part.word == "+" || part.word == "-";
    const Result right = number_in(part.parts[1], sum ? &left.unit : nullptr);
    left.absent |= right.absent;
    if (sum) {
      left.number += part.word == "+" ? right.number : -right.number;
      return left;
    }
    const bool times = part.word == "*";
    left.number = times ? left.number * right.number : left.number / right.number;
    left.unit = made_at(
        part, [&] { return config::product(left.unit, times ? right.unit : config::power(right.unit, -1)); });
    return left;
  }

  Result compare(const Expression& part) const {
    const Result left = of(part.parts[0]);
    const bool equals = part.word == "==" || part.word == "!=";
    if (left.kind != Result::Kind::number) {
      const Result right = of(part.parts[1]);
      if (!equals) throw ExpressionError(part.at, "words are compared by == and != only");
      const std::string a = text_of(left), b = text_of(right);
      return known({left, right}, (a == b) == (part.word == "=="));
    }
    const Result right = number_in(part.parts[1], &left.unit);
    const double a = left.number, b = right.number;
    // Values that are written in two units differ in their last bits.
    const bool equal = std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
    const bool less = !equal && a < b;
    const std::string& sign = part.word;
    const bool truth = sign == "=="   ? equal
                       : sign == "!=" ? !equal
                       : sign == "<"  ? less
                       : sign == "<=" ? less || equal
                       : sign == ">"  ? !less && !equal
                                      : !less;
    return known({left, right}, truth);
  }

  static std::string text_of(const Result& result) {
    if (result.kind == Result::Kind::truth) return result.truth ? "yes" : "no";
    return result.word;
  }

  Result call_of(const Expression& part) const {
    const bool absolute = part.word == "abs";
    if ((!absolute && part.word != "min" && part.word != "max") || part.has_time)
      throw ExpressionError(part.at, "there is no function " + config::show(part.word) +
                                         " of values of a case; there are: abs, min, max");
    if (part.parts.size() != (absolute ? 1U : 2U))
      throw ExpressionError(part.at, part.word + "() takes " + (absolute ? "one value" : "two values"));
    Result first = number_in(part.parts[0]);
    if (absolute) {
      first.number = std::abs(first.number);
      return first;
    }
    const Result second = number_in(part.parts[1], &first.unit);
    first.absent |= second.absent;
    first.number =
        part.word == "min" ? std::min(first.number, second.number) : std::max(first.number, second.number);
    return first;
  }

  const std::vector<Vary>& vary_;
  const std::vector<const Value*>& values_;
};

}  // namespace

bool Exclusion::holds(const std::vector<Vary>& vary, const std::vector<const Value*>& values) const {
  const Result result = Evaluation(vary, values).of(condition);
  if (result.kind != Result::Kind::truth)
    throw ExpressionError(condition.at, "a condition is expected; compare it, as `x > 5 V`");
  return result.truth;
}

}  // namespace tactus::campaign
