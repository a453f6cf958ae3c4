// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/verdict_chart.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "config/number.hpp"
#include "config/unit.hpp"

namespace tactus::executive {
namespace {

using config::Expression;

bool is_variable(const Expression& part) {
  return part.kind == Expression::Kind::name && part.word.find('.') != std::string::npos;
}

void add_names(const Expression& part, std::vector<std::string>& names) {
  if (is_variable(part) && std::ranges::find(names, part.word) == names.end()) names.push_back(part.word);
  for (const Expression& each : part.parts) add_names(each, names);
}

/// A written quantity in that unit. Nothing for one whose unit has a zero point, as degC, where that one has none, as
/// that of a margin: it is a point, and no distance.
std::optional<double> quantity(const Expression& part, const config::Unit& unit) try {
  if (part.kind == Expression::Kind::negated) {
    const auto value = quantity(part.parts[0], unit);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (part.kind != Expression::Kind::number) return std::nullopt;
  const auto value = config::parse_real(part.word);
  if (!value) return std::nullopt;
  const config::Unit from = config::Unit::parse(part.unit);
  if (from.has_zero_point() && !unit.has_zero_point()) return std::nullopt;
  return config::convert(*value.value, from, unit);
} catch (const std::invalid_argument&) {
  return std::nullopt;
}

config::Unit unit_of(const std::string& text) {
  return text.empty() ? config::Unit() : config::Unit::parse(text);
}

/// Returns true for a difference, also for its size: that of two temperatures is in K.
bool is_distance(const Expression& part) {
  const bool is_size = part.kind == Expression::Kind::call && part.word == "abs" && part.parts.size() == 1;
  const Expression& inside = is_size ? part.parts[0] : part;
  return inside.kind == Expression::Kind::binary && inside.word == "-";
}

/// The chart of `what` <= limit, or >= it.
bool add_limit(VerdictChart& chart, const Expression& what, bool at_most, double limit) {
  const bool is_size = what.kind == Expression::Kind::call && what.word == "abs" && what.parts.size() == 1;
  const Expression& inside = is_size ? what.parts[0] : what;
  if (is_size && !at_most) return false;  // outside of a band
  if (inside.kind == Expression::Kind::binary && inside.word == "-" && is_variable(inside.parts[0]) &&
      is_variable(inside.parts[1])) {
    chart.signals = {inside.parts[0].word};
    chart.reference = inside.parts[1].word;
  } else if (is_variable(inside)) {
    chart.signals = {inside.word};
  } else {
    return false;
  }
  if (at_most) chart.high = limit;
  if (!at_most) chart.low = limit;
  if (is_size) chart.low = -limit;
  return true;
}

bool add_band(VerdictChart& chart, const Expression& condition, bool never, const config::Unit& unit) {
  if (condition.kind == Expression::Kind::inverted) return add_band(chart, condition.parts[0], !never, unit);
  if (condition.kind == Expression::Kind::held) return add_band(chart, condition.parts[0], never, unit);
  if (condition.kind == Expression::Kind::within && !never && is_variable(condition.parts[0])) {
    const auto tolerance = quantity(condition.parts[1], unit.without_zero_point());
    const auto middle = quantity(condition.parts[2], unit);
    if (!tolerance || (!middle && !is_variable(condition.parts[2]))) return false;
    chart.signals = {condition.parts[0].word};
    if (!middle) chart.reference = condition.parts[2].word;
    chart.low = middle.value_or(0) - *tolerance;
    chart.high = middle.value_or(0) + *tolerance;
    return true;
  }
  if (condition.kind != Expression::Kind::compared || (condition.word[0] != '<' && condition.word[0] != '>'))
    return false;
  const Expression* what = &condition.parts[0];
  const Expression* other = &condition.parts[1];
  bool at_most = (condition.word[0] == '<') != never;
  const auto limit_of_what = [&] {
    return quantity(*other, is_distance(*what) ? unit.without_zero_point() : unit);
  };
  auto limit = limit_of_what();
  if (!limit) {
    std::swap(what, other);
    at_most = !at_most;
    limit = limit_of_what();
  }
  if (limit) return add_limit(chart, *what, at_most, *limit);
  if (!is_variable(*what) || !is_variable(*other)) return false;
  chart.signals = {condition.parts[0].word};  // one variable below another
  chart.reference = condition.parts[1].word;
  ((condition.word[0] == '<') != never ? chart.high : chart.low) = 0;
  return true;
}

/// Finds the size of the number that a condition is about: above 0. `unit`: without a zero point.
std::optional<double> limit_of(const Expression& condition, const config::Unit& unit) {
  using enum Expression::Kind;
  if (condition.kind == inverted || condition.kind == held) return limit_of(condition.parts[0], unit);
  std::optional<double> limit;
  if (condition.kind == within || condition.kind == compared) limit = quantity(condition.parts[1], unit);
  if (condition.kind == compared && !limit) limit = quantity(condition.parts[0], unit);
  return limit && *limit != 0 ? std::optional(std::abs(*limit)) : std::nullopt;
}

}  // namespace

std::vector<std::string> charted_variables(const Expression& condition) {
  std::vector<std::string> names;
  add_names(condition, names);
  names.resize(std::min<std::size_t>(names.size(), 2));
  return names;
}

VerdictChart chart_of(const std::string& condition, bool never, const ChartUnits& units) try {
  const Expression tree = config::parse_expression(condition);
  const config::Unit signal = unit_of(units.signal);
  VerdictChart chart;
  if (!add_band(chart, tree, never, signal)) {
    chart = {};
    add_names(tree, chart.signals);
  }
  if (!chart.reference.empty()) {
    const config::Unit reference = unit_of(units.reference);
    chart.offset = config::convert(0, reference, signal);
    chart.gain = config::convert(1, reference.without_zero_point(), signal.without_zero_point());
  }
  chart.limit = limit_of(tree, unit_of(units.margin).without_zero_point());
  return chart;
} catch (const config::ExpressionError&) {
  return {};
} catch (const std::invalid_argument&) {  // of a unit
  return {};
}

VerdictChart chart_of(const std::string& condition, bool never, const std::string& unit) {
  return chart_of(condition, never, ChartUnits{unit, unit, unit});
}

config::Json to_json(const VerdictChart& chart) {
  const auto number = [](std::optional<double> value) {
    return value ? config::Json(*value) : config::Json();
  };
  return {{"signals", chart.signals},
          {"reference", chart.reference.empty() ? config::Json() : config::Json(chart.reference)},
          {"gain", chart.gain},
          {"offset", chart.offset},
          {"low", number(chart.low)},
          {"high", number(chart.high)},
          {"limit", number(chart.limit)}};
}

}  // namespace tactus::executive
