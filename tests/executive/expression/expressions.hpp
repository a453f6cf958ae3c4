// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Variables of a motor, and expressions over values that a test sets by hand.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/expression/expression_run.hpp"

namespace tactus::executive::expressions {

using config::CellType;
using config::Unit;
using config::Wide;

/// Variables of a motor and of the plain traces.
class Names final : public config::ExpressionNames {
 public:
  std::optional<Found> find(const std::string& name, std::string& why) const override {
    static const config::ExpressionLabels modes{{"idle", 0}, {"braking", 1}, {"on hold", 2}};
    struct Row {
      const char* name;
      CellType type;
      const char* unit;
      const config::ExpressionLabels* labels = nullptr;
    };
    static const Row rows[] = {
        {"m.x", CellType::real, "m"},           {"m.y", CellType::real, "mm"},
        {"m.n", CellType::whole, ""},           {"m.mode", CellType::whole, "", &modes},
        {"m.flag", CellType::truth, ""},        {"motor.speed", CellType::real, "rad/s"},
        {"motor.current", CellType::real, "A"}, {"axis.force", CellType::real, "N"},
        {"motor.angle", CellType::real, "deg"}, {"oven.temperature", CellType::real, "degC"},
        {"motor.counter", CellType::whole, ""}, {"motor.duty", CellType::real, "%"},
        {"motor.stamp", CellType::whole, "ns"}, {"motor.micros", CellType::whole, "us"},
    };
    for (std::uint32_t i = 0; i < std::size(rows); ++i)
      if (name == rows[i].name)
        return Found{rows[i].type, Unit::parse(rows[i].unit), rows[i].labels, i, std::nullopt};
    why = "there is no variable '" + name + "'";
    return std::nullopt;
  }
};

inline const Names kTheirNames;

inline std::vector<config::ExpressionProblem> problems_of(const std::string& text, bool condition = true) {
  std::vector<config::ExpressionProblem> problems;
  try {
    const config::Expression expression = config::parse_expression(text);
    config::ExpressionBuilder builder(kTheirNames, {});
    if (condition)
      (void)builder.add_condition(expression, problems);
    else
      (void)builder.add(expression, problems);
  } catch (const config::ExpressionError& error) {
    problems.push_back(error.problem());
  }
  return problems;
}

inline std::string problem_of(const std::string& text, bool condition = true) {
  const auto problems = problems_of(text, condition);
  return problems.empty() ? "" : std::to_string(problems[0].at + 1) + ": " + problems[0].message;
}

/// One expression over values set by hand.
class Single {
 public:
  /// `margin`: that of a condition.
  explicit Single(const std::string& text, bool margin = false) : run_(made(text, margin)) {}
  Single& set(const std::string& name, double value) {
    std::string why;
    const auto found = kTheirNames.find(name, why);
    for (const config::ProgramInput& input : run_.program().inputs)
      if (input.key == found->key) {
        if (found->type == CellType::whole)
          run_.cell(input.cell).whole = static_cast<Wide>(value);
        else
          run_.cell(input.cell).real = value;
      }
    return *this;
  }
  double next() {
    run_.run();
    const config::Cell cell = run_.cell(value_.cell);
    return value_.type == CellType::whole
               ? (cell.whole == config::kNoWhole ? std::nan("") : static_cast<double>(cell.whole))
               : cell.real;
  }
  double next(const std::string& name, double value) { return set(name, value).next(); }
  const Unit& unit() const { return value_.unit; }
  ExpressionRun& run() { return run_; }

 private:
  config::ExpressionProgram made(const std::string& text, bool margin) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(kTheirNames, {});
    const config::Expression expression = config::parse_expression(text);
    auto value = builder.add(expression, problems);
    std::string why;
    if (value && margin) value = builder.add_margin(expression, why);
    if (!value && problems.empty()) throw std::runtime_error(text + ": " + why);
    if (!value) throw std::runtime_error(text + ": " + problems.at(0).message);
    value_ = *value;
    return builder.take();
  }
  config::ExpressionValue value_{};
  ExpressionRun run_;
};

}  // namespace tactus::executive::expressions
