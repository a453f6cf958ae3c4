// SPDX-License-Identifier: Apache-2.0
#include "executive/app/mutants.hpp"

#include <algorithm>
#include <cmath>

#include "config/expression.hpp"
#include "config/number.hpp"
#include "config/unit.hpp"
#include "executive/capability/judge/verdict_chart.hpp"
#include "executive/model/with_type.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::app {
namespace {

using config::Expression;
using executive::CompiledExpectation;

constexpr double kMore = 1.1;  // a little more than a tolerance

std::vector<std::string> conditions_of(const executive::ExpectSettings& settings) {
  std::vector<std::string> all;
  for (const auto* each :
       {&settings.always, &settings.never, &settings.finally, &settings.holds, &settings.settles})
    if (!each->value.empty()) all.push_back(each->value);
  return all;
}

bool mentions(const Expression& part, const std::string& variable) {
  return (part.kind == Expression::Kind::name && part.word == variable) ||
         std::ranges::any_of(part.parts, [&](const Expression& each) { return mentions(each, variable); });
}

std::optional<Expression> tree_of(const std::string& condition) try {
  return config::parse_expression(condition);
} catch (const config::ExpressionError&) {
  return std::nullopt;
}

void take_less(std::optional<double>& least, double value) {
  if (value > 0 && (!least || value < *least)) least = value;
}

/// Finds the tolerances of `x within D of y` and `abs(x - y) < D` in a condition.
void add_tolerances(const Expression& part, const std::string& text, bool never, const SeenOutput& output,
                    std::optional<double>& least) {
  const auto written = [&](const Expression& each) { return text.substr(each.at, each.end - each.at); };
  if (part.kind == Expression::Kind::within &&
      (mentions(part.parts[0], output.name) || mentions(part.parts[2], output.name))) {
    // The middle may be a recording, which is no variable: the distance alone is asked for.
    const auto chart = executive::chart_of(
        output.name + " within " + written(part.parts[1]) + " of " + output.name, false, output.unit);
    if (chart.low && chart.high) take_less(least, (*chart.high - *chart.low) / 2);
    return;
  }
  if (part.kind == Expression::Kind::compared) {
    const auto chart = executive::chart_of(written(part), never, output.unit);
    const bool named =
        chart.reference == output.name || (!chart.signals.empty() && chart.signals[0] == output.name);
    if (named && !chart.reference.empty() && chart.low && chart.high)
      take_less(least, (*chart.high - *chart.low) / 2);
    return;
  }
  for (const Expression& each : part.parts)
    add_tolerances(each, text, never != (part.kind == Expression::Kind::inverted), output, least);
}

/// Returns true if a condition of the expectation names the output.
bool names(const CompiledExpectation& expectation, const SeenOutput& output) {
  return std::ranges::any_of(conditions_of(expectation.settings), [&](const std::string& condition) {
    const auto tree = tree_of(condition);
    return tree && mentions(*tree, output.name);
  });
}

/// The shortest time that an expectation leaves the output to change.
std::optional<rtsync::Nanoseconds> shortest_time(const SeenOutput& output,
                                                 const std::vector<CompiledExpectation>& expectations) {
  std::optional<rtsync::Nanoseconds> least;
  for (const CompiledExpectation& each : expectations) {
    const auto time = each.settings.within ? each.settings.within : each.settings.by;
    if (!time || time->count() <= 0 || (least && *least <= *time)) continue;
    if (names(each, output)) least = time;
  }
  return least;
}

std::string with_unit(double value, const std::string& unit) {
  return config::print_real(value) + (unit.empty() ? "" : " " + unit);
}

bool has_zero_point(const SeenOutput& output) {
  return !output.unit.empty() && config::Unit::parse(output.unit).has_zero_point();
}
/// A distance of two temperatures is in K, whatever their own unit is.
std::string unit_of_distances(const SeenOutput& output) { return has_zero_point(output) ? "K" : output.unit; }
double distance_factor(const SeenOutput& output) {
  if (!has_zero_point(output)) return 1;
  return config::convert(1, config::Unit::parse(output.unit).without_zero_point(), config::Unit::parse("K"));
}

std::string fault_of(const SeenOutput& output, const std::string& what) {
  return "{ on: '" + output.name + "', " + what + ", frame: 0 }";
}

bool is_number(const SeenOutput& output) {
  return output.form == SeenOutput::Form::real || output.form == SeenOutput::Form::whole;
}

Mutant mutant_of_no_number(const SeenOutput& output) {
  Mutant mutant{.variable = output.name, .kind = "off"};
  if (output.form == SeenOutput::Form::word) {
    mutant.left_out = "it has words, not numbers";
    return mutant;
  }
  mutant.fault = fault_of(output, "flip: 0");
  mutant.says = "the opposite of what it is";
  mutant.would_see = "an expectation on " + output.name + " in all frames";
  return mutant;
}

/// Up and down are mutants of their own: a limit on one side sees one of them, and of a sum of both nobody knows which.
Mutant mutant_off(const SeenOutput& output, const std::vector<CompiledExpectation>& expectations, bool up) {
  Mutant mutant{.variable = output.name, .kind = up ? "off up" : "off down"};
  const auto tolerance = least_tolerance(output, expectations);
  const double range = output.greatest - output.least;
  const double size = std::max(std::abs(output.greatest), std::abs(output.least));
  double amount = distance_factor(output) * (tolerance ? kMore * *tolerance
                                                       : kShareOfRange * (range > 0  ? range
                                                                          : size > 0 ? size
                                                                                     : 10));
  if (output.form == SeenOutput::Form::whole) amount = std::max(1.0, std::ceil(amount));
  if (!std::isfinite(amount)) {
    mutant.left_out = "its range is not finite";
    return mutant;
  }
  if (up ? output.least >= output.highest : output.greatest <= output.lowest) {
    mutant.left_out = std::string("it is always the ") + (up ? "greatest" : "least") + " that its type holds";
    return mutant;
  }
  amount = config::parse_real(rtsync::format_text("%.4g", amount)).value.value_or(amount);
  const std::string by = with_unit(amount, unit_of_distances(output));
  mutant.fault = fault_of(output, std::string("offset: '") + (up ? "" : "-") + by + "'");
  mutant.says = (up ? "up by " : "down by ") + by +
                (tolerance   ? ", a tenth more than its tolerance"
                 : range > 0 ? ", a tenth of its range"
                 : size > 0  ? ", a tenth of its value"
                             : ", as it is always 0");
  mutant.would_see = output.name + " within less than " + by + " of a value or a recording";
  return mutant;
}

Mutant mutant_delayed(const SeenOutput& output, const std::vector<CompiledExpectation>& expectations,
                      rtsync::Period frame) {
  Mutant mutant{.variable = output.name, .kind = "delayed"};
  const auto time = shortest_time(output, expectations);
  const rtsync::Nanoseconds by = time ? rtsync::Nanoseconds{time->count() + (time->count() + 9) / 10}
                                      : std::max(frame.times(kFramesOfDelay), rtsync::Nanoseconds{1});
  mutant.fault = fault_of(output, "delay: " + std::to_string(by.count()) + " ns");
  mutant.says = "delayed by " + config::print_duration(by) +
                (time ? ", a tenth more than its time" : ", " + std::to_string(kFramesOfDelay) + " frames");
  mutant.would_see =
      "after an event, within less than " + config::print_duration(by) + ": a condition on " + output.name;
  return mutant;
}

}  // namespace

std::optional<double> least_tolerance(const SeenOutput& output,
                                      const std::vector<CompiledExpectation>& expectations) {
  std::optional<double> least;
  for (const CompiledExpectation& each : expectations)
    for (const std::string& condition : conditions_of(each.settings))
      if (const auto tree = tree_of(condition))
        add_tolerances(*tree, condition, !each.settings.never.value.empty(), output, least);
  return least;
}

std::vector<SeenOutput> outputs_of(const executive::Rig& rig) {
  std::vector<SeenOutput> all;
  for (const executive::ModelInstance& model : rig.models())
    for (const executive::Variable& variable : model.variables()) {
      if (variable.role != TACTUS_OUTPUT) continue;
      const auto form = variable.type == TACTUS_BOOL ? SeenOutput::Form::truth
                        : !variable.labels.empty()   ? SeenOutput::Form::word
                        : variable.type == TACTUS_FLOAT || variable.type == TACTUS_DOUBLE
                            ? SeenOutput::Form::real
                            : SeenOutput::Form::whole;
      SeenOutput seen{"", variable.unit_text == "1" ? "" : variable.unit_text, form};
      if (form == SeenOutput::Form::whole)
        executive::with_type(variable.type, [&seen](auto zero) {
          using Limits = std::numeric_limits<decltype(zero)>;
          seen.lowest = static_cast<double>(Limits::lowest());
          seen.highest = static_cast<double>(Limits::max());
        });
      for (std::size_t element = 0; element < variable.elements(); ++element) {
        seen.name = variable.name + executive::index_text(variable, element);
        all.push_back(seen);
      }
    }
  return all;
}

std::vector<Mutant> mutants_of(const SeenOutput& output, const std::vector<CompiledExpectation>& expectations,
                               rtsync::Period frame) {
  Mutant stuck{.variable = output.name, .kind = "stuck"};
  stuck.fault = fault_of(output, "stuck: ");
  stuck.says = "stuck at its first value";
  stuck.would_see = "an expectation that " + output.name + " moves, or is within a distance of another value";
  std::vector<Mutant> all{std::move(stuck)};
  if (is_number(output))
    for (const bool up : {true, false}) all.push_back(mutant_off(output, expectations, up));
  else
    all.push_back(mutant_of_no_number(output));
  all.push_back(mutant_delayed(output, expectations, frame));
  const bool named = std::ranges::any_of(expectations, [&](const auto& each) { return names(each, output); });
  for (Mutant& each : all) {
    if (!each.kind.starts_with("off") && !(output.greatest > output.least))
      each.left_out = "it is the same in all frames, so that this changes nothing";
    if (!each.left_out.empty()) each.fault.clear();
    each.named = named;
  }
  return all;
}

}  // namespace tactus::app
