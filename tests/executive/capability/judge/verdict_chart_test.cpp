// SPDX-License-Identifier: Apache-2.0
// Which variables and which band a chart of an expectation has.
#include "executive/capability/judge/verdict_chart.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace tactus::executive::verdict_chart_test {
namespace {

using config::Json;

struct Row {
  const char* condition;
  bool never;
  const char* unit;
  const char* chart;
};

TEST(VerdictChart, HasTheBandInWhichAConditionHolds) {
  const Row rows[] = {
      {"motor.speed > 20 rad/s", false, "rad/s", R"([["motor.speed"], null, 20.0, null])"},
      {"motor.speed > 20 rad/s", true, "rad/s", R"([["motor.speed"], null, null, 20.0])"},
      {"not motor.speed >= 20 rad/s", false, "rad/s", R"([["motor.speed"], null, null, 20.0])"},
      {"-3 N < axis.force", false, "N", R"([["axis.force"], null, -3.0, null])"},
      {"abs(axis.force) < 2 kN", false, "N", R"([["axis.force"], null, -2000.0, 2000.0])"},
      {"abs(axis.force) > 2 kN", true, "N", R"([["axis.force"], null, -2000.0, 2000.0])"},
      {"abs(axis.force) > 2 kN", false, "N", R"([["axis.force"], null, null, null])"},
      {"abs(a.x - b.x) <= 5 mm", false, "m", R"([["a.x"], "b.x", -0.005, 0.005])"},
      {"a.x - b.x < 5 mm for 3 ms", false, "m", R"([["a.x"], "b.x", null, 0.005])"},
      {"a.x within 0.5 rad of b.x", false, "rad", R"([["a.x"], "b.x", -0.5, 0.5])"},
      {"a.x within 1 rad of 3 rad", false, "rad", R"([["a.x"], null, 2.0, 4.0])"},
      {"a.x within 1 rad of 3 rad", true, "rad", R"([["a.x"], null, null, null])"},
      {"a.x < b.x", false, "rad", R"([["a.x"], "b.x", null, 0.0])"},
      {"a.x > 3 m and b.y < 2 s", false, "", R"([["a.x", "b.y"], null, null, null])"},
      {"count(moved) == 3", false, "", R"([[], null, null, null])"},
      {"a.t < 100 degC", false, "K", R"([["a.t"], null, null, null])"},
      {"a.t < 100 degC", false, "degC", R"([["a.t"], null, null, 100.0])"},
      {"a.t within 5 K of 20 degC", false, "degC", R"([["a.t"], null, 15.0, 25.0])"},
      {"abs(a.t - a.u) < 5 K", false, "degC", R"([["a.t"], "a.u", -5.0, 5.0])"},
      {"a.t - a.u < 5 K", false, "degF", R"([["a.t"], "a.u", null, 9.0])"},
      {"a.t < 100 K", false, "K", R"([["a.t"], null, null, 100.0])"},
      {"a.t within 5 K of 20 degC", false, "K", R"([["a.t"], null, null, null])"},
      {"a.x >", false, "", R"([[], null, null, null])"},
  };
  for (const Row& row : rows) {
    const Json chart = to_json(chart_of(row.condition, row.never, row.unit));
    EXPECT_EQ(Json::array({chart["signals"], chart["reference"], chart["low"], chart["high"]}),
              Json::parse(row.chart))
        << row.condition << ": " << chart;
  }
}

/// A margin of temperatures is in K, and what is drawn is in the unit of the variable.
TEST(VerdictChart, HasABandOfTemperaturesInTheUnitOfTheVariable) {
  const auto band = [](const char* condition, const char* signal, const char* reference = "") {
    const Json chart = to_json(chart_of(condition, false, ChartUnits{"K", signal, reference}));
    return Json::array({chart["reference"], chart["low"], chart["high"], chart["limit"]});
  };
  EXPECT_EQ(band("a.t < 100 degC", "degC"), Json::parse("[null, null, 100.0, null]"));
  EXPECT_NEAR(band("a.t < 100 degC", "degF")[2].get<double>(), 212, 1e-9);
  EXPECT_NEAR(band("a.t > 50 degF", "degC")[1].get<double>(), 10, 1e-9);
  const Json around = band("a.t within 5 K of 212 degF", "degC");
  EXPECT_NEAR(around[1].get<double>(), 95, 1e-9);
  EXPECT_NEAR(around[2].get<double>(), 105, 1e-9);
  EXPECT_EQ(around[3], 5);
  const Json fahrenheit = band("abs(a.t - a.u) < 5 K", "degF", "degF");
  EXPECT_EQ(fahrenheit[0], "a.u");
  EXPECT_NEAR(fahrenheit[1].get<double>(), -9, 1e-9);
  EXPECT_NEAR(fahrenheit[2].get<double>(), 9, 1e-9);
  EXPECT_EQ(fahrenheit[3], 5);
}

TEST(VerdictChart, SaysHowTheUnitOfTheReferenceBecomesThatOfTheVariable) {
  const VerdictChart warm = chart_of("a.t within 5 K of a.u", false, ChartUnits{"K", "degF", "degC"});
  EXPECT_NEAR(warm.gain * 100 + warm.offset, 212, 1e-9);
  EXPECT_NEAR(warm.high.value_or(0), 9, 1e-9);
  const VerdictChart turned = chart_of("abs(a.x - b.x) < 180 deg", false, ChartUnits{"rad", "rad", "deg"});
  EXPECT_NEAR(turned.gain * 180 + turned.offset, std::numbers::pi, 1e-12);
  EXPECT_NEAR(turned.high.value_or(0), std::numbers::pi, 1e-12);
  const VerdictChart same = chart_of("a.x < b.x", false, "m");
  EXPECT_EQ(same.gain, 1);
  EXPECT_EQ(same.offset, 0);
}

TEST(VerdictChart, HasTheLimitOfWhichAMarginIsWhatIsLeft) {
  const auto limit = [](const char* condition, const char* unit) {
    return to_json(chart_of(condition, false, unit))["limit"];
  };
  EXPECT_EQ(limit("rms(motor.current, 50 ms) < 2 A", "A"), 2);
  EXPECT_EQ(limit("-3 kN < axis.force", "N"), 3000);
  EXPECT_EQ(limit("a.x within 1 rad of 30 rad", "rad"), 1);
  EXPECT_EQ(limit("(not abs(a.x - 2 * b.x) >= 5 mm) for 3 ms", "m"), 0.005);
  EXPECT_EQ(limit("count(moved) <= 3", ""), 3);
  EXPECT_EQ(limit("a.t < 100 degC", "K"), nullptr) << "no share of 373 K";
  EXPECT_EQ(limit("a.t within 5 K of 20 degC", "K"), 5);
  EXPECT_EQ(limit("a.x < b.x", "m"), nullptr);
  EXPECT_EQ(limit("a.x > 0 m", "m"), nullptr) << "no share of nothing";
  EXPECT_EQ(limit("a.x > 1 m and a.x < 2 m", "m"), nullptr) << "there are two";
}

}  // namespace
}  // namespace tactus::executive::verdict_chart_test
