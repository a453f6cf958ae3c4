// SPDX-License-Identifier: Apache-2.0
#include "executive/model/variable_guard.hpp"

#include <fenv.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "rtsync/host/heap_watch.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::variable_guard_test {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Model {
  std::deque<Variable> variables;

  template <class T>
  Variable& add(const char* name, tactus_type type, T* data, std::uint32_t count = 0,
                tactus_role role = TACTUS_STATE) {
    Variable& made = variables.emplace_back();
    made.name = name;
    made.role = role;
    made.type = type;
    made.count = count;
    made.data = data;
    return made;
  }
  Variable& add(const char* name, double* data, std::uint32_t count = 0, tactus_role role = TACTUS_STATE) {
    return add(name, TACTUS_DOUBLE, data, count, role);
  }
};

/// What a guard of these variables says now; "" when all is well.
std::string said(VariableGuard& guard) {
  const VariableGuard::Bad* const bad = guard.check();
  return bad == nullptr ? "" : text(*bad);
}
std::string said(const Model& model, bool not_finite = true) {
  VariableGuard guard(model.variables, not_finite);
  return said(guard);
}

TEST(VariableGuard, OfNothingIsContent) {
  VariableGuard guard;
  EXPECT_TRUE(guard.empty());
  EXPECT_EQ(guard.check(), nullptr);
}

TEST(VariableGuard, FindsWhatIsNotFinite) {
  double speed = 1;
  float force[3] = {};
  Model model;
  model.add("motor.speed", &speed);
  model.add("axis.force", TACTUS_FLOAT, force, 3, TACTUS_OUTPUT);
  VariableGuard guard(model.variables, true);
  EXPECT_EQ(said(guard), "");
  force[2] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(said(guard), "axis.force[2] is -inf");
  force[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(said(guard), "axis.force[1] is nan");
  speed = kInf;
  EXPECT_EQ(said(guard), "motor.speed is inf") << "the first in the order of declaration";
  speed = -kNan;
  const VariableGuard::Bad* const bad = guard.check();
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(bad->variable, &model.variables[0]);
  EXPECT_EQ(bad->index, 0U);
  EXPECT_EQ(bad->kind, VariableGuard::Kind::nan);
  EXPECT_TRUE(std::isnan(bad->value));
  speed = 0;
  force[1] = force[2] = 0;
  EXPECT_EQ(said(guard), "") << "and it is content again";
}

TEST(VariableGuard, LooksAtOutputsAndStatesOnly) {
  for (const tactus_role role : {TACTUS_PARAMETER, TACTUS_INPUT, TACTUS_OUTPUT, TACTUS_STATE}) {
    double x = kNan;
    Model model;
    model.add("m.x", &x, 0, role);
    const bool guarded = role == TACTUS_OUTPUT || role == TACTUS_STATE;
    EXPECT_EQ(said(model), guarded ? "m.x is nan" : "") << name_of(role);
    EXPECT_EQ(said(model, false), "") << "switched off";
    model.variables[0].low = 0;
    EXPECT_EQ(said(model), "m.x is nan") << "a range is for every role, and no nan is in it";
    EXPECT_EQ(said(model, false), "m.x is nan") << "whether or not nans are looked for";
  }
}

TEST(VariableGuard, LeavesOutLongArraysAndSaysWhich) {
  std::vector<double> fits(1000, 0.0);
  std::vector<double> too_long(1001, kNan);
  Model model;
  model.add("m.fits", fits.data(), 1000);
  model.add("m.too_long", too_long.data(), 1001);
  VariableGuard guard(model.variables, true);
  EXPECT_THAT(guard.left_out(), ElementsAre(&model.variables[1]));
  EXPECT_EQ(said(guard), "");
  fits[999] = kInf;
  EXPECT_EQ(said(guard), "m.fits[999] is inf");
  fits[999] = 0;
  model.variables[1].high = 5;
  EXPECT_EQ(said(model), "m.too_long[0] is nan") << "a declared range holds at any length";
}

TEST(VariableGuard, SeesEveryKindOfDouble) {
  const struct {
    double value;
    bool bad;
  } rows[] = {
      {0.0, false},
      {-0.0, false},
      {std::numeric_limits<double>::denorm_min(), false},
      {std::numeric_limits<double>::max(), false},
      {std::numeric_limits<double>::lowest(), false},
      {kInf, true},
      {-kInf, true},
      {kNan, true},
      {-kNan, true},
      {std::numeric_limits<double>::signaling_NaN(), true},
      {std::bit_cast<double>(0x7FF0'0000'0000'0001U), true},
      {std::bit_cast<double>(0xFFFF'FFFF'FFFF'FFFFU), true},
      {std::bit_cast<double>(0x7FEF'FFFF'FFFF'FFFFU), false},
  };
  for (const auto& row : rows) {
    double x[5] = {row.value, 1, 1, 1, 1};
    Model model;
    model.add("m.x", x, 5);
    model.add("m.y", x);
    EXPECT_EQ(said(model).empty(), !row.bad) << row.value;
  }
  std::mt19937_64 engine(23);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t mask = i % 2 == 0 ? 0 : 0x7FF0'0000'0000'0000U;
    double x = std::bit_cast<double>(engine() | mask);
    float y = std::bit_cast<float>(static_cast<std::uint32_t>(engine() | (i % 3 == 0 ? 0x7F80'0000U : 0U)));
    Model model;
    model.add("m.x", &x);
    ASSERT_EQ(said(model).empty(), static_cast<bool>(std::isfinite(x)));
    model.variables.clear();
    model.add("m.y", TACTUS_FLOAT, &y);
    ASSERT_EQ(said(model).empty(), static_cast<bool>(std::isfinite(y)));
  }
}

TEST(VariableGuard, SaysWhatIsOutsideAndOfWhat) {
  tactus::test::Snapshot texts;
  double x = 512.5;
  double array[3] = {0, 0, 512.5};
  Model model;
  Variable& force = model.add("axis.force", array, 3);
  force.low = -500;
  force.high = 500;
  force.unit_text = "N";
  texts.add(said(model));
  const VariableGuard guard(model.variables, true);
  model.variables.clear();
  Variable& one = model.add("m.x", &x);
  one.unit_text = "1";
  one.high = 10;
  texts.add(said(model), "an open end is not told of");
  one.low = kNan;
  texts.add(said(model), "nan is an open end");
  x = -kInf;
  EXPECT_EQ(said(model, false), "") << "infinity is inside of an open end";
  EXPECT_EQ(said(model), "m.x is -inf");
  one.low = 0;
  one.high = {};
  x = -0.25;
  texts.add(said(model));
  float narrow = 0.7F;
  model.variables.clear();
  Variable& real = model.add("m.f", TACTUS_FLOAT, &narrow);
  real.low = 0.1;
  real.high = 0.6;
  texts.add(said(model));
  std::int32_t whole = 2'000'000;
  model.variables.clear();
  Variable& count = model.add("m.n", TACTUS_INT32, &whole, 0, TACTUS_PARAMETER);
  count.unit_text = "counts";
  count.low = 0;
  count.high = 1'000'000;
  texts.add(said(model));
}

TEST(VariableGuard, TheEndsAreInside) {
  double x = 5;
  Model model;
  Variable& v = model.add("m.x", &x);
  v.low = v.high = 5;
  VariableGuard guard(model.variables, true);
  EXPECT_EQ(said(guard), "");
  x = std::nextafter(5, 6);
  EXPECT_NE(said(guard), "");
  x = std::nextafter(5, 4);
  EXPECT_NE(said(guard), "");
}

/// Against the plain comparison of real numbers, done in long double: exact for all of these types.
template <class T>
void check_integers(tactus_type type) {
  using Limits = std::numeric_limits<T>;
  const long double least = Limits::lowest();
  const long double most = Limits::max();
  std::vector<double> ends = {kNan, -kInf, kInf, 0, 0.5, -0.5, 1, -1, 99.9, 100, 1e300, -1e300};
  for (const long double edge : {least, most})
    for (const long double by : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L}) {
      const auto end = static_cast<double>(edge + by);
      for (const double each : {end, std::nextafter(end, -kInf), std::nextafter(end, kInf)})
        ends.push_back(each);
    }
  const T values[] = {Limits::lowest(),
                      static_cast<T>(Limits::lowest() + 1),
                      0,
                      1,
                      99,
                      100,
                      101,
                      static_cast<T>(-1),
                      static_cast<T>(Limits::max() - 1),
                      Limits::max()};
  for (const double low : ends)
    for (const double high : ends) {
      T memory = 0;
      Model model;
      Variable& v = model.add("m.n", type, &memory);
      v.low = low;
      v.high = high;
      VariableGuard guard(model.variables, true);
      for (const T value : values) {
        memory = value;
        const auto exact = static_cast<long double>(value);
        const bool inside =
            !(exact < static_cast<long double>(low)) && !(exact > static_cast<long double>(high));
        ASSERT_EQ(guard.check() == nullptr, inside)
            << name_of(type) << " " << +value << " in " << low << " .. " << high;
      }
    }
}

TEST(VariableGuard, IntegersAreComparedExactly) {
  check_integers<std::int8_t>(TACTUS_INT8);
  check_integers<std::uint8_t>(TACTUS_UINT8);
  check_integers<std::int16_t>(TACTUS_INT16);
  check_integers<std::uint16_t>(TACTUS_UINT16);
  check_integers<std::int32_t>(TACTUS_INT32);
  check_integers<std::uint32_t>(TACTUS_UINT32);
  check_integers<std::int64_t>(TACTUS_INT64);
  check_integers<std::uint64_t>(TACTUS_UINT64);
}

TEST(VariableGuard, RangesCanBeLeftAlone) {
  double x = 6;
  Model model;
  model.add("m.x", &x).high = 5;
  VariableGuard guard(model.variables, true, false);
  EXPECT_EQ(said(guard), "");
  x = kNan;
  EXPECT_EQ(said(guard), "m.x is nan");
  EXPECT_TRUE(VariableGuard(model.variables, false, false).empty());
}

TEST(VariableGuard, ABoolHasNoRange) {
  bool on = true;
  Model model;
  model.add("m.on", TACTUS_BOOL, &on).high = 0;
  const VariableGuard guard(model.variables, true);
  EXPECT_TRUE(guard.empty());
}

/// Scattered and neighbouring variables, with and without ranges: the same as looking at each in turn.
TEST(VariableGuard, FindsTheFirstInRandomModels) {
  std::mt19937 engine(29);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(engine() % limit); };
  for (int turn = 0; turn < 400; ++turn) {
    std::vector<double> memory(200);
    for (double& x : memory) x = static_cast<double>(below(100));
    Model model;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t at = 0; at < 180;) {
      at += below(2) * below(4);
      const std::size_t count = below(3) == 0 ? 1 + below(12) : 0;
      places.emplace_back(at, count);
      at += std::max<std::size_t>(count, 1);
    }
    std::shuffle(places.begin(), places.end(), engine);
    for (const auto& [at, count] : places) {
      Variable& v = model.add("m.x", &memory[at], static_cast<std::uint32_t>(count));
      v.name += std::to_string(at);
      if (below(4) == 0) v.high = 98;
    }
    for (std::size_t bad = below(3); bad > 0; --bad) memory[below(memory.size())] = kNan;
    std::string expected;
    for (const Variable& v : model.variables)
      for (std::size_t i = 0; i < v.elements() && expected.empty(); ++i) {
        const double x = static_cast<const double*>(v.data)[i];
        const std::string name = v.name + (v.count > 0 ? "[" + std::to_string(i) + "]" : "");
        if (std::isnan(x)) expected = name + " is nan";
        if (v.high && x > *v.high) expected = name + " = 99 is above 98";
      }
    ASSERT_EQ(said(model), expected);
  }
}

TEST(VariableGuard, RaisesNoFloatingPointException) {
  double x[3] = {std::numeric_limits<double>::signaling_NaN(), kInf, kNan};
  Model model;
  model.add("m.x", x, 3);
  VariableGuard guard(model.variables, true);
  ::feclearexcept(FE_ALL_EXCEPT);
  for (int i = 0; i < 3; ++i) EXPECT_NE(guard.check(), nullptr);
  EXPECT_EQ(::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), 0);
}

TEST(VariableGuardRt, NeverTouchesTheHeap) {
  std::vector<double> x(100, 1.0);
  Model model;
  model.add("m.x", x.data(), 100).high = 5;
  VariableGuard guard(model.variables, true);
  const rtsync::HeapWatch heap;
  EXPECT_EQ(guard.check(), nullptr);
  x[50] = kNan;
  EXPECT_NE(guard.check(), nullptr);
  x[50] = 6;
  EXPECT_NE(guard.check(), nullptr);
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::executive::variable_guard_test
