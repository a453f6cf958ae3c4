// SPDX-License-Identifier: Apache-2.0
#include "executive/report/fail_if.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "config/expression_builder.hpp"
#include "config/text.hpp"
#include "executive/expression/expression_run.hpp"
#include "rtsync/joined.hpp"

namespace tactus::report {
namespace {

using config::Expression;

constexpr std::string_view kBaseline = "baseline";

[[noreturn]] void fail(const std::string& text, const config::ExpressionProblem& problem) {
  throw ConditionError("--fail-if " + problem.text(text));
}

std::string all_names() { return rtsync::joined(quantity_names()); }

/// The first quantity in a part; nullptr: there is none.
const Expression* first_quantity(const Expression& part) {
  if (part.kind == Expression::Kind::name) return quantity_named(part.word) ? &part : nullptr;
  for (const Expression& each : part.parts)
    if (const Expression* const found = first_quantity(each)) return found;
  return nullptr;
}

/// Names the quantity that a bare `baseline` means: that of the comparison it is in.
void name_baselines(Expression& part, const std::string& quantity) {
  if (part.kind == Expression::Kind::name && part.word == kBaseline && !quantity.empty())
    part.word += "." + quantity;
  const bool compares = part.kind == Expression::Kind::compared || part.kind == Expression::Kind::within;
  const Expression* const own = compares ? first_quantity(part) : nullptr;
  const std::string name = own == nullptr ? quantity : own->word;
  for (Expression& each : part.parts) name_baselines(each, name);
}

}  // namespace

/// Quantities of a run; with `baseline.` in front, of the baseline.
class Condition::Names final : public config::ExpressionNames {
 public:
  explicit Names(std::vector<Used>& used) : used_(used) {}

  std::optional<Found> find(const std::string& name, std::string& why) const override {
    const bool of_baseline = name.starts_with(std::string(kBaseline) + ".");
    const std::string own = of_baseline ? name.substr(kBaseline.size() + 1) : name;
    const auto quantity = quantity_named(own);
    if (name == kBaseline) {
      why =
          "baseline is the quantity of the same comparison in the baseline, and here is none; write "
          "baseline.late.p99";
      return std::nullopt;
    }
    if (!quantity) {
      std::vector<std::string> names = quantity_names();
      std::erase_if(names, [](const std::string& each) { return each.starts_with(kNameOfJob); });
      why = "there is no quantity " + config::show(own) + config::meant(own, names) + "; there are " +
            all_names() + ", and any other percentile, as late.p99.5";
      return std::nullopt;
    }
    Found found;
    if (quantity->kind == Quantity::Kind::time) found.unit = config::Unit::parse("ns");
    const auto known = std::ranges::find_if(used_, [&](const Used& each) {
      return each.quantity.name == own && each.of_baseline == of_baseline;
    });
    found.key = static_cast<std::uint32_t>(known - used_.begin());
    if (known == used_.end()) used_.push_back({*quantity, of_baseline});
    return found;
  }

 private:
  std::vector<Used>& used_;
};

Condition Condition::parse(const std::string& text) {
  Condition condition;
  condition.text_ = text;
  std::vector<config::ExpressionProblem> problems;
  try {
    Expression expression = config::parse_expression(text);
    name_baselines(expression, "");
    const Names names(condition.used_);
    config::ExpressionBuilder builder(names, {.equal_reals = true, .once = true});
    if (const auto result = builder.add_condition(expression, problems)) {
      condition.result_ = result->cell;
      const auto limit = builder.add_limit(expression);
      if (limit) condition.limit_ = limit->cell;
      condition.program_ = builder.take();
    }
  } catch (const config::ExpressionError& error) {
    problems.push_back(error.problem());
  }
  if (!problems.empty()) fail(text, problems.front());
  return condition;
}

/// "12.3 us against 9.1 us of the baseline"; of several quantities "late.p99 is 12.3 us, overruns is 3".
std::string Condition::values(const std::vector<double>& values, std::optional<double> limit) const {
  if (limit) {
    for (std::size_t i = 1; i < used_.size(); ++i)
      if (used_[i].of_baseline)
        return value_text(used_[0].quantity, values[0]) + " against " +
               value_text(used_[i].quantity, values[i]) + " of the baseline";
    return value_text(used_[0].quantity, values[0]) + " against " + value_text(used_[0].quantity, *limit);
  }
  std::string all;
  for (std::size_t i = 0; i < used_.size(); ++i)
    all += (all.empty() ? "" : ", ") + used_[i].quantity.name +
           (used_[i].of_baseline ? " of the baseline is " : " is ") +
           value_text(used_[i].quantity, values[i]);
  return all;
}

Condition::Judged Condition::judge(const RunData& run, const RunData* baseline) const {
  std::vector<double> found;
  for (const Used& used : used_) {
    if (used.of_baseline && baseline == nullptr)
      throw ConditionError("--fail-if " + config::show(text_) +
                           ": there is no baseline; name its run folder first: tactus report BASELINE RUN");
    const RunData& of = used.of_baseline ? *baseline : run;
    std::string why;
    const auto value = value_of(used.quantity, of, why);
    if (!value)
      throw ConditionError("--fail-if " + config::show(text_) + ": run " + of.files.folder.string() +
                           " has no " + used.quantity.name + ": " + why);
    found.push_back(*value);
  }
  executive::ExpressionRun expression(program_);
  for (const config::ProgramInput& input : program_.inputs)
    expression.cell(input.cell).real = found[input.key];
  expression.run();
  const double result = expression.cell(result_).real;
  if (std::isnan(result))
    throw ConditionError("--fail-if " + config::show(text_) + ": it has no value for " + run.name + ", as " +
                         values(found, std::nullopt));
  Judged judged{.holds = result == 1};
  const auto limit = limit_ ? std::optional(expression.cell(*limit_).real) : std::nullopt;
  judged.sentence = config::one_line(text_) + ": " + (judged.holds ? "holds" : "does not hold") + " for " +
                    run.name + ", " + values(found, limit);
  return judged;
}

}  // namespace tactus::report
