// SPDX-License-Identifier: Apache-2.0
// What is measured over a run, by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/expression/expression_run.hpp"

namespace tactus::executive::whole_run_test {
namespace {

using config::CellType;
using config::Unit;
using config::Wide;

class Names final : public config::ExpressionNames {
 public:
  std::optional<Found> find(const std::string& name, std::string& why) const override {
    struct Row {
      const char* name;
      CellType type;
      const char* unit;
    };
    static constexpr Row kRows[] = {{"m.x", CellType::real, "m"},
                                    {"m.n", CellType::whole, ""},
                                    {"m.flag", CellType::truth, ""},
                                    {"motor.current", CellType::real, "A"},
                                    {"m.y", CellType::real, "mm"}};
    for (std::uint32_t i = 0; i < std::size(kRows); ++i)
      if (name == kRows[i].name)
        return Found{kRows[i].type, Unit::parse(kRows[i].unit), nullptr, i, std::nullopt};
    why = "there is no variable '" + name + "'";
    return std::nullopt;
  }
};

const Names kNames;

std::vector<config::ExpressionProblem> problems_of(const std::string& text) {
  std::vector<config::ExpressionProblem> problems;
  config::ExpressionBuilder builder(kNames, {});
  (void)builder.add_condition(config::parse_expression(text), problems);
  return problems;
}

/// What is measured over a run, frame by frame; the value is that of the last one.
double measured(const std::string& text, const std::vector<double>& x, std::string* unit = nullptr,
                rtsync::Period tick = {1'000'000, 1}) {
  std::vector<config::ExpressionProblem> problems;
  config::ExpressionBuilder builder(kNames, {.tick = tick});
  const auto value = builder.add_measure(config::parse_expression(text), problems);
  if (!value) {
    ADD_FAILURE() << (problems.empty() ? text : problems.front().text(text));
    return 0;
  }
  if (unit != nullptr) *unit = value->unit.text();
  ExpressionRun run(builder.take());
  for (const double each : x) {
    for (const config::ProgramInput& input : run.program().inputs)
      if (input.key == 1)
        run.cell(input.cell).whole = static_cast<Wide>(each);  // m.n
      else
        run.cell(input.cell).real = input.key == 2 ? (each > 0 ? 1 : 0) : each;
    run.run();
  }
  return run.cell(value->cell).real;
}

TEST(WholeRun, MeasuresAllFrames) {
  const std::vector<double> x{3, -5, 1, 2};
  EXPECT_EQ(measured("max(m.x)", x), 3);
  EXPECT_EQ(measured("min(m.x)", x), -5);
  EXPECT_EQ(measured("max(abs(m.x))", x), 5);
  EXPECT_DOUBLE_EQ(measured("mean(m.x)", x), 0.25);
  EXPECT_DOUBLE_EQ(measured("rms(m.x)", x), std::sqrt(39 / 4.0));
  EXPECT_EQ(measured("max(m.x) - min(m.x)", x), 8);
  EXPECT_EQ(measured("m.x", x), 2) << "that of the last frame";
  EXPECT_EQ(measured("m.x > 1 m", x), 1);
  EXPECT_EQ(measured("max(m.x, 2 ms)", x), 2) << "a window";
  EXPECT_EQ(measured("max(m.x, 2 m)", x), 2) << "the greater of two";
  EXPECT_EQ(measured("max(m.n)", x), 3);
  EXPECT_EQ(measured("count(m.flag)", x), 1);
  EXPECT_DOUBLE_EQ(measured("mean(m.flag)", x), 0.75) << "the share of frames";
  std::string unit;
  (void)measured("max(motor.current)", x, &unit);
  EXPECT_EQ(unit, "A");
}

TEST(WholeRun, KnowsWhenAConditionHeldFirstAndLast) {
  std::string unit;
  EXPECT_DOUBLE_EQ(measured("last(m.x > 2 m)", {1, 3, 3, 1, 1}, &unit), 0.003)
      << "the end of the third frame";
  EXPECT_EQ(unit, "s");
  EXPECT_DOUBLE_EQ(measured("first(m.x > 2 m)", {1, 3, 3, 1, 1}), 0.001);
  EXPECT_DOUBLE_EQ(measured("last(m.x > 2 m) - first(m.x > 2 m)", {1, 3, 3, 1, 1}), 0.002);
  EXPECT_EQ(measured("last(m.x > 2 m)", {1, 1}), 0) << "it never held";
  EXPECT_TRUE(std::isnan(measured("first(m.x > 2 m)", {1, 1})));
  EXPECT_DOUBLE_EQ(measured("last(m.x > 2 m)", {3, 3, 3}, nullptr, {1'000'000'000, 60}), 0.05) << "60 Hz";
}

TEST(WholeRun, LeavesOutFramesWithoutAValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(measured("max(m.x)", {nan, -3, nan}), -3);
  EXPECT_DOUBLE_EQ(measured("mean(m.x)", {nan, 1, nan, 4}), 2.5);
  EXPECT_TRUE(std::isnan(measured("max(m.x)", {nan, nan})));
  EXPECT_TRUE(std::isnan(measured("rms(m.x)", {})) || measured("rms(m.x)", {}) == 0) << "no frame";
  EXPECT_DOUBLE_EQ(measured("last(m.x > 2 m)", {3, nan, nan}), 0.001);
}

TEST(WholeRun, SumsWithoutLosingSmallValues) {
  std::vector<double> x(100'000, 1e-9);
  x.front() = 1e9;
  x.back() = -1e9;
  EXPECT_NEAR(measured("mean(m.x)", x) * 1e5, 99'998e-9, 1e-12);
}

TEST(WholeRun, TakesWhatIsInfinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(measured("mean(m.x)", {1, infinite, 2}), infinite);
  EXPECT_EQ(measured("rms(m.x)", {1, -infinite, 2}), infinite);
  EXPECT_EQ(measured("mean(m.x)", {1e308, 1e308, 1e308}), infinite) << "their sum is";
  EXPECT_TRUE(std::isnan(measured("mean(m.x)", {infinite, -infinite})));
}

TEST(WholeRun, BeginsAnew) {
  std::vector<config::ExpressionProblem> problems;
  config::ExpressionBuilder builder(kNames, {});
  const auto value = builder.add_measure(config::parse_expression("max(m.x)"), problems);
  ExpressionRun run(builder.take());
  const auto frame = [&](double x) {
    run.cell(run.program().inputs.front().cell).real = x;
    run.run();
    return run.cell(value->cell).real;
  };
  EXPECT_EQ(frame(5), 5);
  run.begin_anew();
  EXPECT_EQ(frame(2), 2);
}

TEST(WholeRun, BelongsIntoMeasureAndSaysWhatItTakes) {
  EXPECT_NE(problems_of("max(m.x) > 1 m").size(), 0U) << "an expectation is judged frame by frame";
  ASSERT_EQ(problems_of("last(m.flag) > 1 s").size(), 1U);
  EXPECT_NE(problems_of("last(m.flag) > 1 s").front().message.find("measure"), std::string::npos);
  const auto wrong = [](const std::string& text) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(kNames, {});
    EXPECT_FALSE(builder.add_measure(config::parse_expression(text), problems)) << text;
    return problems.empty() ? "" : problems.front().message;
  };
  EXPECT_NE(wrong("max(m.flag)").find("condition"), std::string::npos);
  EXPECT_NE(wrong("last(m.x)").find("condition"), std::string::npos);
  EXPECT_NE(wrong("rms(m.x, m.y)").find("one argument"), std::string::npos);
  EXPECT_NE(wrong("max(m.z)").find("m.z"), std::string::npos);
}

}  // namespace
}  // namespace tactus::executive::whole_run_test
