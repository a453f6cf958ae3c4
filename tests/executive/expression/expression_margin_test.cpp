// SPDX-License-Identifier: Apache-2.0
// Margins of conditions: how far each is from where it would change.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/executive/expression/expressions.hpp"

namespace tactus::executive::expression_margin_test {
namespace {

using namespace expressions;

double margin_of(const std::string& text, double x, double y, double flag = 0) {
  return Single(text, true).set("m.x", x).set("m.y", y).next("m.flag", flag);
}

TEST(ExpressionMargin, TheMarginOfSeveralComparisonsIsThatOfTheWorst) {
  EXPECT_EQ(margin_of("m.x > 1 m and m.x < 5 m", 2, 0), 1);
  EXPECT_EQ(margin_of("m.x > 1 m and m.y < 5000 mm", 4, 4500), 0.5) << "in the unit of the left one";
  EXPECT_EQ(margin_of("m.x > 1 m or m.x < -5 m", -1, 0), -2);
  EXPECT_EQ(margin_of("not (m.x > 1 m and m.x < 5 m)", 2, 0), -1);
}

/// Its robustness is infinite.
TEST(ExpressionMargin, AConditionWithoutNumbersLeavesTheMarginToOthersWhileItAgrees) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(margin_of("m.x > 1 m and m.flag", 3, 0, 1), 2);
  EXPECT_EQ(margin_of("m.x > 1 m and m.flag", 3, 0, 0), -kInfinite) << "no number decides";
  EXPECT_EQ(margin_of("m.flag and m.x > 1 m", 0, 0, 1), -1);
  EXPECT_EQ(margin_of("m.x > 1 m or m.flag", 0, 0, 0), -1);
  EXPECT_EQ(margin_of("m.x > 1 m or m.flag", 0, 0, 1), kInfinite);
  EXPECT_EQ(margin_of("m.x > 1 m and not m.flag", 3, 0, 0), 2);
  EXPECT_TRUE(std::isnan(margin_of("m.x > 1 m and m.flag", std::nan(""), 0, 1)));
  EXPECT_TRUE(std::isnan(margin_of("m.x > 1 m and m.flag", 2, 0, std::nan(""))));
}

TEST(ExpressionMargin, TheMarginOfWhatHasToLastIsTheLeastOfThatTime) {
  Single margin("m.x > 1 m for 3 ms", true);
  EXPECT_EQ(margin.next("m.x", 5), -std::numeric_limits<double>::infinity()) << "it cannot hold yet";
  (void)margin.next("m.x", 4);
  EXPECT_EQ(margin.next("m.x", 7), 3);
  EXPECT_EQ(margin.next("m.x", 2), 1);
  EXPECT_EQ(margin.next("m.x", 0), -1);
  EXPECT_EQ(margin.next("m.x", 9), -1);
  EXPECT_EQ(margin.next("m.x", 9), -1);
  EXPECT_EQ(margin.next("m.x", 9), 8);
}

/// Minus infinity as long as it cannot hold, whatever the margin inside is.
TEST(ExpressionMargin, TheMarginOfWhatHasToLastIsANumberWhereNoneDecides) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Single margin("(m.x > 1 m or m.flag) for 3 ms", true);
  EXPECT_EQ(margin.set("m.x", 0).next("m.flag", 1), -kInfinite);
  EXPECT_EQ(margin.next("m.flag", 1), -kInfinite);
  EXPECT_EQ(margin.next("m.flag", 1), kInfinite);
  EXPECT_EQ(margin.next("m.flag", 0), -1);
  Single equal("(count(rises(m.flag)) == 0) for 3 ms", true);
  EXPECT_EQ(equal.next("m.flag", 0), -kInfinite);
}

TEST(ExpressionMargin, TheMarginOfWholeNumbersThatOughtToBeEqualIsTheirDistance) {
  Single margin("count(rises(m.flag)) == 2", true);
  EXPECT_EQ(margin.next("m.flag", 0), -2);
  EXPECT_EQ(margin.next("m.flag", 1), -1);
  (void)margin.next("m.flag", 0);
  EXPECT_EQ(margin.next("m.flag", 1), std::numeric_limits<double>::infinity());
}

TEST(ExpressionMargin, TheMarginOfTemperaturesIsInK) {
  class Ovens final : public config::ExpressionNames {
   public:
    std::optional<Found> find(const std::string& name, std::string& why) const override {
      if (name == "oven.f") return Found{CellType::real, Unit::parse("degF"), nullptr, 0, std::nullopt};
      if (name == "oven.wanted") return Found{CellType::real, Unit::parse("degF"), nullptr, 1, std::nullopt};
      why = "there is no '" + name + "'";
      return std::nullopt;
    }
  };
  const Ovens ovens;
  const std::pair<const char*, double> rows[] = {{"oven.f < 212 degF", 50},
                                                 {"oven.f within 60 K of 212 degF", 10},
                                                 {"oven.f - oven.wanted < 20 K", 30},
                                                 {"abs(oven.f - oven.wanted) < 20 K", 10}};
  for (const auto& [text, margin] : rows) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(ovens, {});
    const config::Expression tree = config::parse_expression(text);
    ASSERT_TRUE(builder.add_condition(tree, problems)) << text;
    std::string why;
    const auto made = builder.add_margin(tree, why);
    ASSERT_TRUE(made) << text << ": " << why;
    EXPECT_EQ(made->unit.text(), "K") << text;
    ExpressionRun run(builder.take());
    for (const config::ProgramInput& input : run.program().inputs)
      run.cell(input.cell).real = input.key == 0 ? 122 : 140;
    run.run();
    EXPECT_NEAR(run.cell(made->cell).real, margin, 1e-9) << text;
  }
}

TEST(ExpressionMargin, ThatHasNoMarginSaysWhy) {
  const auto reason = [](const std::string& text) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(kTheirNames, {});
    const config::Expression expression = config::parse_expression(text);
    EXPECT_TRUE(builder.add_condition(expression, problems)) << text;
    std::string why;
    EXPECT_FALSE(builder.add_margin(expression, why)) << text;
    return why;
  };
  EXPECT_EQ(reason("m.x > 1 m and motor.speed > 1 rad/s"), "its parts have different units: m, rad/s");
  EXPECT_EQ(reason("(m.x > 1 m or motor.speed > 1 rad/s) and m.flag"),
            "its parts have different units: m, rad/s");
  for (const char* const text :
       {"m.flag", "not m.flag", "rises(m.flag) or m.flag", "m.flag for 3 ms", "m.flag == yes"})
    EXPECT_EQ(reason(text), "nothing in it is a comparison of numbers") << text;
}

}  // namespace
}  // namespace tactus::executive::expression_margin_test
