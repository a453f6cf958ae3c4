// SPDX-License-Identifier: Apache-2.0
// The flat program against the plain evaluation, and what an expression may not be.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/expression/expression_run.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/expression/expressions.hpp"
#include "tests/executive/expression/plain_expression.hpp"

namespace tactus::executive::expression_test {
namespace {

using namespace expressions;

/// Kinds of real numbers of a trace, beside those without a value.
enum class Numbers : std::uint8_t {
  usual,
  infinite,  ///< some are
  tiny,      ///< each is a few of the least that there are
};

plain::Trace random_trace(std::mt19937& random, int frames, Numbers numbers) {
  plain::Trace trace;
  const double size = numbers == Numbers::tiny ? 2 * std::numeric_limits<double>::denorm_min() : 1;
  const auto one_of = [&](int number) { return static_cast<int>(random() % static_cast<unsigned>(number)); };
  int first = 0;
  for (int k = 0; k < frames; ++k) {
    if (k > 0 && one_of(12) == 0) first = k;
    trace.first.push_back(first);
    trace.x.push_back(one_of(15) == 0 ? plain::kNone : 0.5 * size * (one_of(17) - 8));
    trace.y.push_back(one_of(30) == 0 ? plain::kNone : 500.0 * size * (one_of(17) - 8));
    if (numbers == Numbers::infinite)
      for (double* const each : {&trace.x.back(), &trace.y.back()})
        if (one_of(9) == 0) *each = std::numeric_limits<double>::infinity() * (one_of(2) == 0 ? 1 : -1);
    trace.n.push_back(one_of(7) - 3);
    trace.mode.push_back(one_of(3));
    trace.flag.push_back(one_of(2) == 0);
  }
  return trace;
}

bool are_the_same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

/// Compiles a random condition with its margin, and compares both in each frame.
void compare_with_plain(std::uint32_t first_seed, int expressions) {
  int margins = 0, finite = 0, infinite = 0, none = 0;
  for (int i = 0; i < expressions; ++i) {
    std::mt19937 random(first_seed + static_cast<std::uint32_t>(i));
    const auto numbers = static_cast<Numbers>(i % 3);
    const plain::Trace trace = random_trace(random, 24, numbers);
    plain::Generator generator(static_cast<std::uint32_t>(random()), trace);
    const auto wanted = generator.truth(3);
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(kTheirNames, {});
    std::optional<config::ExpressionValue> value;
    const config::Expression tree = config::parse_expression(wanted.text);
    value = builder.add(tree, problems);
    ASSERT_TRUE(value) << problems.at(0).text(wanted.text);
    std::string why;
    const auto margin = builder.add_margin(tree, why);
    ASSERT_EQ(margin.has_value(), wanted.margin.is_number()) << why << ": " << wanted.text;
    margins += margin ? 1 : 0;
    ExpressionRun run(builder.take());
    for (int k = 0; k < trace.frames(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (k > 0 && trace.first[at] == k) run.begin_anew();
      for (const config::ProgramInput& input : run.program().inputs) {
        config::Cell& cell = run.cell(input.cell);
        if (input.key == 0) cell.real = trace.x[at];
        if (input.key == 1) cell.real = trace.y[at];
        if (input.key == 2) cell.whole = trace.n[at];
        if (input.key == 3) cell.whole = trace.mode[at];
        if (input.key == 4) cell.real = trace.flag[at] ? 1 : 0;
      }
      run.run();
      const double got = run.cell(value->cell).real;
      const double expected = wanted.value(k);
      ASSERT_TRUE(are_the_same(got, expected))
          << "seed " << first_seed + static_cast<std::uint32_t>(i) << ", frame " << k << ": " << got
          << " instead of " << expected << ": " << wanted.text;
      if (!margin) continue;
      const double far = run.cell(margin->cell).real, expected_far = wanted.margin.of(k);
      ASSERT_TRUE(are_the_same(far, expected_far))
          << "seed " << first_seed + static_cast<std::uint32_t>(i) << ", frame " << k << ": margin " << far
          << " instead of " << expected_far << ": " << wanted.text;
      ASSERT_TRUE(std::isnan(far) || (!std::isnan(got) && (far <= 0 || got == 1) && (far >= 0 || got == 0)))
          << "frame " << k << ": it is " << got << ", and its margin " << far << ": " << wanted.text;
      ++(std::isnan(far) ? none : std::isinf(far) ? infinite : finite);
    }
  }
  EXPECT_GT(margins, expressions / 3);
  for (const int seen : {finite, infinite, none}) EXPECT_GT(seen, expressions / 10);
}

TEST(Expression, AnEdgeIsBetweenValuesWhateverLiesBetween) {
  const double none = std::nan("");
  const std::vector<double> trace = {none, 5, none, -5, none, none, 5, 5, none, 5, none, -5};
  const auto of = [&](const std::string& text) {
    Single single(text);
    std::string all;
    for (const double value : trace) {
      const double result = single.next("m.x", value);
      all += std::isnan(result) ? "-" : std::to_string(static_cast<int>(result));
    }
    return all;
  };
  EXPECT_EQ(of("rises(m.x > 0 m)"), "0000--100000") << "it was known to hold: no value begins nothing";
  EXPECT_EQ(of("falls(m.x > 0 m)"), "00-10000-0-1");
  EXPECT_EQ(of("changes(m.x)"), "00-1--10-0-1");
  EXPECT_EQ(of("changes(round(m.x / 1 m))"), "00-1--10-0-1");
  EXPECT_EQ(of("count(m.x > 0 m)"), "000000111111");
  EXPECT_EQ(of("m.x > 0 m for 2 ms"), "-0-0--01-0-0") << "a frame without a value breaks it";
}

TEST(Expression, IsWhatThePlainEvaluationSays) { compare_with_plain(1, 5000); }
TEST(ExpressionNightly, IsWhatThePlainEvaluationSays) { compare_with_plain(1'000'000, 100'000); }

TEST(Expression, TheExamplesOfTheDocumentationAreUnderstood) {
  for (const char* const text : {
           "motor.speed > 300 rad/s and not m.flag",
           "abs(axis.force) < 2 kN",
           "m.mode == braking",
           "braking == m.mode",
           "m.mode == 'on hold'",
           "rms(motor.current, 500 ms) > 8 A",
           "motor.speed > 90 rad/s for 10 ms",
           "motor.angle within 0.5 rad of 3 deg",
           "count(m.flag) == 3 and count(m.flag, 1 s) <= 2",
           "motor.speed > 3 rad/s * 2",
           "motor.current * 2 V > 5 W",
           "motor.current^2 > 4 A^2",
           "sqrt(motor.current^2) > 4 A",
           "rate(motor.speed) < 5 rad/s^2",
           "rate(motor.counter) < 5 1/s",
           "oven.temperature > 80 degC and oven.temperature - 20 K < 350 K",
           "abs(oven.temperature - 20 degC) < 30 K and 80 degF - oven.temperature > 1 K",
           "oven.temperature + (oven.temperature - 20 degC) > 80 degC",
           "rate(oven.temperature) < 2 K/min",
           "oven.temperature within 5 K of 80 degC",
           "motor.duty > 50 % or motor.duty > 0.5",
           "sin(motor.angle) > 0.5",
           "motor.counter == 18446744073709551615",
           "motor.speed > 1000 rpm",
           "axis.force > 5 J/(m) and axis.force > 2 kg m/s^2",
           "(motor.speed > 1 rad/s and m.flag) for 5 ms",
           "not (m.flag for 5 ms)",
           "max(motor.speed, -5 rad/s, 2 rad/s) > 1 rad/s",
       })
    EXPECT_EQ(problem_of(text), "");
}

TEST(Expression, UnitsDecideWhatIsCompared) {
  EXPECT_EQ(Single("m.x > 5 mm").next("m.x", 0.005), 0);
  EXPECT_EQ(Single("m.x >= 5 mm").next("m.x", 0.005), 1);
  EXPECT_EQ(Single("m.y >= 5 mm").next("m.y", 5), 1);
}

TEST(Expression, WhatCannotBeMeantIsRefusedWithItsPlace) {
  const std::pair<const char*, const char*> rows[] = {
      {"motor.speed > 300", "15: '300' has no unit"},
      {"motor.speed > 300 N", "15: '300 N' has the wrong dimension"},
      {"motor.speed > axis.force",
       "15: the units do not fit: the left side is in 'rad/s', and the right side in 'N' (kg m/s^2)"},
      {"motor.speed == 300 rad/s", "1: '==' of real numbers"},
      {"motor.sped > 300 rad/s", "1: there is no variable 'motor.sped'"},
      {"m.mode == breaking", "11: 'breaking' is not a name of its values; did you mean 'braking'"},
      {"abz(motor.speed) > 3 rad/s", "1: there is no function 'abz'; did you mean 'abs'"},
      {"motor.speed", "1: here a condition is expected"},
      {"motor.speed > 1 rad/s and axis.force", "27: beside 'and' a condition is expected"},
      {"1 rad/s < motor.speed < 3 rad/s", "23: a second comparison"},
      {"motor.speed = 3 rad/s", "13: '=' compares nothing"},
      {"m.flag && m.flag", "8: write 'and'"},
      {"!m.flag", "1: write 'not'"},
      {"m.flag and m.flag for 5 ms", "19: 'A and B for T'"},
      {"not m.flag for 5 ms", "5: 'not C for T'"},
      {"m.flag for 5 V", "12: '5 V' is not a time"},
      {"(m.flag", "8: a ')' is missing"},
      {"m.flag)", "7: a ')' too many"},
      {"m.x > 1,5 m", "8: the decimal sign is a point, not a comma"},
      {"", "1: an expression is expected"},
      {"rms(motor.current) > 3 A", "1: rms(...) takes a value and a time"},
      {"sin(motor.speed) > 0.5", "5: sin(...) takes an angle"},
      {"oven.temperature + 5 degC > 80 degC", "20: 'degC' has a zero point"},
      {"oven.temperature within 5 degC of 80 degC", "25: 'degC' has a zero point"},
      {"oven.temperature - prev(oven.temperature) < 5 degC", "45: 'degC' has a zero point"},
      {"5 degF > abs(oven.temperature - 20 degC)", "1: 'degF' has a zero point"},
      {"rate(oven.temperature) * 1 s < 5 degC", "32: 'degC' has a zero point"},
      {"20 degC - 10 degC < 11 K", "1: 'degC' has a zero point"},
      {"m.x + m.flag > 1 m", "7: a number is expected"},
      {"m.flag > m.flag", "1: conditions can only be compared with == or !="},
      {"mean(m.x, 1 h) > 1 m", "1: 1 h are 3600000 frames"},
      {"sqrt(m.x) > 1", "1: the square root of 'm'"},
      {"m.x^0 > 1", "5: a power is a whole number"},
      {"m.n > 0x10", "7: '0x10' is hexadecimal; write it in decimal"},
      {"m.x > 1_000 m", "7: '1_000 m' has its digits in groups; write '1000 m'"},
      {"m.x > 5 m2", "7: the unit 'm2' is ambiguous at 'm2'; write a power as 'm^2'"},
  };
  for (const auto& [text, problem] : rows)
    EXPECT_EQ(problem_of(text).substr(0, std::string(problem).size()), problem) << text;
}

TEST(Expression, AllMistakesAreSaidAtOnce) {
  EXPECT_EQ(problems_of("m.a > 3 and m.b > 4 or m.x > 5").size(), 3U);
}

TEST(Expression, IsBoundedWhateverItsText) {
  EXPECT_NE(problem_of(std::string(200, '(') + "m.x" + std::string(200, ')')).find("inside each other"),
            std::string::npos);
  EXPECT_NE(problem_of("m.x > " + std::string(200, '-') + "1 m").find("inside each other"),
            std::string::npos);
  std::string nots;
  for (int i = 0; i < 200; ++i) nots += "not ";
  EXPECT_NE(problem_of(nots + "m.flag").find("inside each other"), std::string::npos);
  EXPECT_NE(problem_of(std::string(5000, 'a')).find("longer than 4000"), std::string::npos);
  std::string sum = "0 m";
  for (int i = 0; i < 900; ++i) sum += "+m.x";
  EXPECT_NE(problem_of(sum + " > 0 m").find("more than 1000 parts"), std::string::npos);
}

std::string deep(const std::string& open, const std::string& inner, const std::string& close, int times) {
  std::string text = inner;
  for (int i = 0; i < times; ++i) text = open + text + close;
  return text;
}

TEST(Expression, SixtyBracketsAreAllowed) {
  EXPECT_EQ(problem_of(deep("(", "m.x > 3 m", ")", 60)), "");
  EXPECT_NE(problem_of(deep("(", "m.x > 3 m", ")", 61)), "");
  EXPECT_EQ(problem_of(deep("abs(", "m.x", ")", 60) + " > 3 m"), "");
  EXPECT_EQ(problem_of(deep("not ", "m.flag", "", 60)), "");
  EXPECT_NE(problem_of(deep("not ", "m.flag", "", 61)), "");
}

TEST(Expression, OlderSpellingsAreTaken) {
  EXPECT_EQ(problem_of("motor.speed > 80 rad*s^-1"), "");
  EXPECT_EQ(problem_of("motor.speed > 80 rad.s^-1"), "");
  EXPECT_EQ(problem_of("axis.force * 1 m > 10 N.m"), "");
  EXPECT_EQ(problem_of("motor.speed > 80 rad/s * 2"), "");
  EXPECT_EQ(problem_of("3 m*m.x > 2 m^2"), "") << "a variable is no unit";
  EXPECT_EQ(problem_of("3 m/m.n > 2 m"), "");
  EXPECT_NE(problem_of("motor.speed > 80 rad*A"), "");
  const auto old_problem = [](const std::string& text) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(kTheirNames, {.equal_reals = true});
    (void)builder.add_condition(config::parse_expression(text), problems);
    return problems.empty() ? "" : problems[0].message;
  };
  for (const char* const text : {"m.flag > 0", "m.flag >= 1", "m.flag < 0.5", "0 < m.flag", "m.flag == 1"})
    EXPECT_EQ(old_problem(text), "") << text;
  EXPECT_NE(problem_of("m.flag > 0"), "") << "a new condition says what it means";
}

TEST(Expression, WordsOfTheLanguageCanBeNamesOfValues) {
  static const config::ExpressionLabels words{{"no", 0}, {"off", 1}, {"for", 2}, {"not", 3}, {"within", 4}};
  class Words final : public config::ExpressionNames {
   public:
    std::optional<Found> find(const std::string& name, std::string& why) const override {
      if (name == "m.mode") return Found{CellType::whole, {}, &words, 0, std::nullopt};
      why = "there is no '" + name + "'";
      return std::nullopt;
    }
  };
  const Words names;
  for (const char* const text :
       {"m.mode == no", "m.mode == off", "m.mode == for", "(m.mode == not) for 3 ms",
        "m.mode != for and m.mode == no", "m.mode == within or m.mode == 'for'", "m.mode == for for 2 ms"}) {
    std::vector<config::ExpressionProblem> problems;
    config::ExpressionBuilder builder(names, {});
    EXPECT_NO_THROW((void)builder.add_condition(config::parse_expression(text), problems)) << text;
    EXPECT_TRUE(problems.empty()) << text << ": " << problems.at(0).message;
  }
}

TEST(Expression, ALookalikeIsRefusedWhereItIs) {
  EXPECT_EQ(problem_of("m.x >\u00a05 m").substr(0, 3), "6: ");
  EXPECT_EQ(problem_of("\u00e4 \u2212 5 m").substr(0, 3), "4: ") << "in bytes from the beginning";
}

TEST(Expression, EachChangeCountsAlsoInFrameAfterFrame) {
  Single all("count(changes(m.x))"), last("count(changes(m.x), 3 ms)"), begins("count(m.flag)");
  const double values[] = {1, 2, 3, 3, 4, 5, 5, 5};
  const double counts[] = {0, 1, 2, 2, 3, 4, 4, 4}, lasts[] = {0, 1, 2, 2, 2, 2, 2, 1};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(all.next("m.x", values[i]), counts[i]) << i;
    EXPECT_EQ(last.next("m.x", values[i]), lasts[i]) << i;
    EXPECT_EQ(begins.next("m.flag", i > 0 ? 1 : 0), i > 0 ? 1 : 0) << "a condition counts when it begins";
  }
}

TEST(Expression, TheFirstFrameHasNoPast) {
  EXPECT_EQ(Single("rises(m.flag)").next("m.flag", 1), 0);
  EXPECT_EQ(Single("changes(m.x)").next("m.x", 1), 0);
  EXPECT_EQ(Single("prev(m.x)").next("m.x", 3), 3);
  EXPECT_EQ(Single("rate(m.x)").next("m.x", 3), 0);
  EXPECT_EQ(Single("mean(m.x, 1 s)").next("m.x", 3), 3);
  EXPECT_EQ(Single("m.flag for 1 ms").next("m.flag", 1), 1);
}

TEST(Expression, AComparisonWithoutAValueIsNeitherTrueNorFalse) {
  for (const char* const text :
       {"m.x > 1 m", "not m.x > 1 m", "m.x within 1 m of m.y", "round(m.x / 1 m) == 3"})
    EXPECT_TRUE(std::isnan(Single(text).set("m.y", 1).next("m.x", plain::kNone))) << text;
  EXPECT_EQ(Single("m.x > 1 m or m.flag").set("m.flag", 1).next("m.x", plain::kNone), 1);
  EXPECT_EQ(Single("m.x > 1 m and m.flag").set("m.flag", 0).next("m.x", plain::kNone), 0);
}

TEST(Expression, NoValueStaysNoValueBesideInfinity) {
  Single length("hypot(m.x, m.y)");
  EXPECT_TRUE(
      std::isnan(length.set("m.y", std::numeric_limits<double>::infinity()).next("m.x", plain::kNone)));
  EXPECT_EQ(length.next("m.x", 0), std::numeric_limits<double>::infinity());
}

TEST(Expression, NothingStaysOfAValueThatLeftItsWindow) {
  Single mean("mean(m.x, 3 ms)");
  for (const double value : {1e300, 1e308, 1e308, plain::kNone, 1.0, 2.0, 3.0}) (void)mean.next("m.x", value);
  EXPECT_EQ(mean.next("m.x", 4), 3);
}

TEST(Expression, WholeNumbersAreExact) {
  for (const char* const text :
       {"motor.counter == 9007199254740993", "round(motor.counter) == 9007199254740993",
        "floor(motor.counter) == 9007199254740993", "ceil(motor.counter) == 9007199254740993"}) {
    Single equal(text);
    for (const config::ProgramInput& input : equal.run().program().inputs)
      equal.run().cell(input.cell).whole = 9007199254740992;
    EXPECT_EQ(equal.next(), 0) << text;
    for (const config::ProgramInput& input : equal.run().program().inputs)
      equal.run().cell(input.cell).whole = 9007199254740993;
    EXPECT_EQ(equal.next(), 1) << text;
  }
}

TEST(Expression, WholeNumbersAreExactInEachUnit) {
  struct Row {
    const char* text;
    config::Wide value;
    bool holds;
  };
  const Row rows[] = {{"motor.stamp == 1700000000000000001 ns", 1700000000000000001, true},
                      {"motor.stamp == 1700000000000000001 ns", 1700000000000000002, false},
                      {"motor.stamp > 1700000000 s", 1700000000000000001, true},
                      {"motor.stamp < 1700000000000000101 ns", 1700000000000000100, true},
                      {"motor.stamp - 1700000000.000000001 s > 0 ns", 1700000000000000002, true},
                      {"motor.stamp within 1 ns of 1700000000000000001 ns", 1700000000000000003, false},
                      {"motor.stamp <= 1.005 ms", 1005000, true},
                      {"1.005 ms == motor.stamp", 1005000, true},
                      {"motor.stamp > 0.5 ns", 1, true},
                      {"motor.counter == 20000 %", 200, true}};
  for (const auto& [text, value, holds] : rows) {
    Single single(text);
    for (const config::ProgramInput& input : single.run().program().inputs)
      single.run().cell(input.cell).whole = value;
    EXPECT_EQ(single.next() == 1, holds) << text;
  }
}

TEST(Expression, AWholeNumberStaysExactInASmallerUnit) {
  for (const char* const text : {"motor.stamp - motor.micros == 1 ns", "motor.stamp > motor.micros",
                                 "motor.stamp within 1 ns of motor.micros"}) {
    Single single(text);
    std::string why;
    const std::uint32_t stamp = kTheirNames.find("motor.stamp", why)->key;
    for (const config::ProgramInput& input : single.run().program().inputs)
      single.run().cell(input.cell).whole = input.key == stamp ? 1700000000000000001 : 1700000000000000;
    EXPECT_EQ(single.next(), 1) << text;
  }
}

TEST(Expression, TheDistanceOfWholeNumbersIsExact) {
  struct Row {
    const char* text;
    config::Wide value;
    bool holds;
  };
  const Row rows[] = {{"motor.counter within 0 of 9007199254740993", 9007199254740992, false},
                      {"motor.counter within 0 of 9007199254740993", 9007199254740993, true},
                      {"motor.counter within 0.5 of 9007199254740993", 9007199254740992, false},
                      {"motor.counter within 1.5 of 9007199254740993", 9007199254740992, true},
                      {"motor.counter within 100 of 1800000000000000101", 1800000000000000000, false},
                      {"motor.counter within 100 of 1800000000000000101", 1800000000000000001, true},
                      {"1800000000000000101 within 100 of motor.counter", 1800000000000000202, false}};
  for (const auto& [text, value, holds] : rows)
    for (const bool is_margin : {false, true}) {
      Single single(text, is_margin);
      for (const config::ProgramInput& input : single.run().program().inputs)
        single.run().cell(input.cell).whole = value;
      EXPECT_EQ(is_margin ? single.next() >= 0 : single.next() == 1, holds) << text << ", " << is_margin;
    }
  Single none("motor.counter within 1 of 5");
  for (const config::ProgramInput& input : none.run().program().inputs)
    none.run().cell(input.cell).whole = config::kNoWhole;
  EXPECT_TRUE(std::isnan(none.next()));
}

TEST(Expression, AFrameTakesNoMemory) {
  Single all(
      "rms(motor.current, 500 ms) > 8 A or rate(m.x) > 1 m/s or (m.flag for 5 ms) or count(m.flag, 1 s) > 3");
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 1000; ++i) all.run().run();
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::executive::expression_test
