// SPDX-License-Identifier: Apache-2.0
#include "executive/integration/integrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::executive::integrator_test {
namespace {

using rtsync::HeapWatch;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum IntegrationMethod;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using RightHandSide = void (*)(double t, const double* y, double* slope);
struct Problem {
  const char* name;
  std::vector<double> at_0;
  RightHandSide f;
  double (*solution)(double t);  // of state 0
};

const Problem kDecay = {"exponential decay",
                        {1.0},
                        [](double, const double* y, double* slope) { slope[0] = -y[0]; },
                        [](double t) { return std::exp(-t); }};
const Problem kOscillator = {
    "harmonic oscillator",
    {1.0, 0.0},
    [](double, const double* y, double* slope) { slope[0] = y[1], slope[1] = -y[0]; },
    [](double t) { return std::cos(t); }};
const Problem kDriven = {"a right-hand side that depends on the time",
                         {1.0},
                         [](double t, const double* y, double* slope) { slope[0] = y[0] * std::cos(t); },
                         [](double t) { return std::exp(std::sin(t)); }};
const Problem kLogistic = {"logistic growth, not linear",
                           {0.1},
                           [](double, const double* y, double* slope) { slope[0] = y[0] * (1 - y[0]); },
                           [](double t) { return 1 / (1 + 9 * std::exp(-t)); }};
const Problem kStiff = {
    "follows a cosine a million times faster than that moves",
    {1.0},
    [](double t, const double* y, double* slope) { slope[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t); },
    [](double t) { return std::cos(t); }};
const Problem kSwitch = {"a slope that jumps at 0.37",
                         {0.0},
                         [](double t, const double*, double* slope) { slope[0] = t < 0.37 ? 1 : -1; },
                         [](double t) { return t < 0.37 ? t : 0.74 - t; }};

/// A model with a derivative job, and its integrator.
struct Plant {
  explicit Plant(const Problem& of, IntegratorSettings settings = {})
      : problem(of), y(of.at_0), slope(y.size()), integrator(settings, states()) {
    offsets.reserve(100'000);
  }
  Plant(const Plant&) = delete;
  std::vector<IntegratedState> states() {
    std::vector<IntegratedState> all;
    for (std::size_t i = 0; i < y.size(); ++i) all.push_back({&y[i], &slope[i]});
    return all;
  }
  static int derivative(void* self, double offset) {
    Plant& plant = *static_cast<Plant*>(self);
    plant.offsets.push_back(offset);
    if (++plant.calls == plant.fail_at) return 42;
    plant.problem.f(plant.begin + offset, plant.y.data(), plant.slope.data());
    return 0;
  }
  int step(double dt) {
    calls = 0;
    offsets.clear();
    const int result = integrator.step(dt, &derivative, this);
    if (result == 0) begin = dt * static_cast<double>(++cycles);
    return result;
  }
  void run(double dt, int n) {
    for (int i = 0; i < n; ++i) ASSERT_EQ(step(dt), 0);
  }
  double error() const { return std::abs(y[0] - problem.solution(begin)); }
  IntegratorCounters& counters() { return integrator.counters(); }

  const Problem& problem;
  std::vector<double> y, slope;
  double begin = 0;  // of the cycle
  std::int64_t cycles = 0;
  std::vector<double> offsets;
  int calls = 0, fail_at = 0;
  Integrator integrator;
};

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> all;
  for (const double value : values) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}
std::string name_of(IntegrationMethod method) {
  return method == euler ? "euler" : method == rk4 ? "rk4" : "dopri5";
}

TEST(Integrator, ConvergesWithTheOrderOfItsMethod) {
  struct Row {
    IntegrationMethod method;
    int cycles;
    double order, within;
  };
  const Row rows[] = {
      // fewer cycles for a higher command: rounding would hide the rest
      {euler, 1000, 1, 0.05},
      {rk4, 50, 4, 0.1},
      {dopri5, 20, 5, 0.25},  // with tolerances that accept each step: one a cycle
  };
  for (const Problem* problem : {&kDecay, &kOscillator, &kDriven, &kLogistic})
    for (const Row& row : rows) {
      const IntegratorSettings settings = {row.method, 1e3, 1e3};
      Plant coarse{*problem, settings}, fine{*problem, settings};
      coarse.run(1.0 / row.cycles, row.cycles);
      fine.run(0.5 / row.cycles, 2 * row.cycles);
      EXPECT_NEAR(std::log2(coarse.error() / fine.error()), row.order, row.within)
          << name_of(row.method) << ": " << problem->name;
    }
}

TEST(Integrator, HasTheSameBitsOnEveryProcessor) {
  // Multiplications and additions alone: a processor that fuses them rounds less often, and ends elsewhere.
  const Problem vanDerPol = {"van der Pol's oscillator",
                             {2.0, 0.1},
                             [](double, const double* y, double* slope) {
                               slope[0] = y[1];
                               slope[1] = 1.3 * (1 - y[0] * y[0]) * y[1] - y[0];
                             },
                             nullptr};
  const std::pair<IntegrationMethod, std::vector<std::uint64_t>> rows[] = {
      {euler, {0xbff9e9639adb5a2b, 0xc000fb588b27edc8}},  // as of x86-64 without fused instructions
      {rk4, {0xbffc1fc7ad7e21ee, 0xbff9a0382632d8b0}},
  };
  for (const auto& [method, expected] : rows) {
    Plant plant{vanDerPol, {method}};
    plant.run(0.01, 1000);
    EXPECT_EQ(bits(plant.y), expected) << name_of(method);
  }
}

TEST(Integrator, IsAsExactAsTheTextbookSays) {
  struct Row {
    const Problem& problem;
    IntegrationMethod method;
    double dt;
    int cycles;
    double error;
  };
  const Row rows[] = {
      {kDecay, euler, 1e-3, 1000, 2e-4},
      {kDecay, rk4, 1e-3, 1000, 1e-14},
      {kDecay, dopri5, 1e-3, 1000, 1e-14},
      {kDecay, dopri5, 0.5, 2, 1e-6},
      {kOscillator, rk4, 1e-2, 10000, 1e-8},
      {kOscillator, dopri5, 1, 100, 1e-4},
      {kDriven, rk4, 1e-2, 1000, 1e-9},
      {kDriven, dopri5, 1, 10, 1e-5},
      {kLogistic, rk4, 1e-2, 1000, 1e-10},
      {kLogistic, dopri5, 1, 10, 1e-5},
      {kSwitch, dopri5, 1, 1, 1e-4},
      {kSwitch, dopri5, 0.1, 10, 1e-4},
      {kOscillator, dopri5, 1e-3, 10000, 1e-11},
  };
  for (const Row& row : rows) {
    Plant plant{row.problem, {.method = row.method}};
    plant.run(row.dt, row.cycles);
    EXPECT_LE(plant.error(), row.error)
        << name_of(row.method) << ", " << row.dt << " s: " << row.problem.name;
    EXPECT_EQ(plant.counters().cycles_over_budget, 0) << name_of(row.method) << ": " << row.problem.name;
  }
}

TEST(Integrator, KeepsEnergyAndPhaseOfAnOscillator) {
  // Per cycle rk4 loses h^6 / 144 of the amplitude and h^5 / 120 of the phase; Euler gains h^2 / 2.
  constexpr double kH = 0.05;
  constexpr int kCycles = 10'000;
  Plant plant{kOscillator, {.method = rk4}};
  plant.run(kH, kCycles);
  EXPECT_NEAR(std::hypot(plant.y[0], plant.y[1]), 1 - kCycles * std::pow(kH, 6) / 144, 2e-8);
  const double behind =
      std::remainder(std::atan2(plant.y[1], plant.y[0]) + kH * kCycles, 2 * std::numbers::pi);
  EXPECT_NEAR(behind, kCycles * std::pow(kH, 5) / 120, 1e-4);

  Plant gains{kOscillator, {.method = euler}};
  gains.run(kH, 100);
  EXPECT_NEAR(std::hypot(gains.y[0], gains.y[1]), std::pow(1 + kH * kH, 50), 1e-12);
}

TEST(Integrator, FollowsItsTolerance) {
  double before = kInf;
  std::int64_t steps_before = 0;
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    Plant plant{kOscillator, {dopri5, tolerance, tolerance, 10'000}};
    plant.run(10, 1);
    EXPECT_LE(plant.error(), 100 * tolerance) << tolerance;
    EXPECT_LT(plant.error(), before) << tolerance;
    EXPECT_GT(plant.counters().steps, steps_before) << tolerance;
    before = plant.error();
    steps_before = plant.counters().steps;
  }
}

/// y' = f, written as in the textbook.
std::vector<double> plain_rk4(const Problem& problem, double t, std::vector<double> y, double h) {
  constexpr double kThird = 1.0 / 3, kSixth = 1.0 / 6;
  const std::size_t n = y.size();
  std::vector<double> k1(n), k2(n), k3(n), k4(n), at(n);
  problem.f(t, y.data(), k1.data());
  for (std::size_t i = 0; i < n; ++i) at[i] = y[i] + h / 2 * k1[i];
  problem.f(t + h / 2, at.data(), k2.data());
  for (std::size_t i = 0; i < n; ++i) at[i] = y[i] + h / 2 * k2[i];
  problem.f(t + h / 2, at.data(), k3.data());
  for (std::size_t i = 0; i < n; ++i) at[i] = y[i] + h * k3[i];
  problem.f(t + h, at.data(), k4.data());
  for (std::size_t i = 0; i < n; ++i)
    y[i] = y[i] + h * kSixth * k1[i] + h * kThird * k2[i] + h * kThird * k3[i] + h * kSixth * k4[i];
  return y;
}

double norm(const std::vector<double>& y) {
  return std::abs(
      *std::max_element(y.begin(), y.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
}
double ulp(double value) { return std::nextafter(value, kInf) - value; }

TEST(Integrator, DoesInOneStepWhatAPlainRungeKuttaDoes) {
  for (const Problem* problem : {&kDecay, &kOscillator, &kDriven, &kLogistic, &kSwitch}) {
    Plant plant{*problem};
    for (int k = 0; k < 1000; ++k) {
      const std::vector<double> plain = plain_rk4(*problem, plant.begin, plant.y, 1e-2);
      ASSERT_EQ(plant.step(1e-2), 0);
      // Not the same bits: a compiler may fuse a product and a sum in one of the two.
      for (std::size_t i = 0; i < plain.size(); ++i)
        ASSERT_LE(std::abs(plant.y[i] - plain[i]), ulp(norm(plain))) << problem->name << ", cycle " << k;
    }
  }
}

TEST(Integrator, AsksForTheDerivativesAtTheOffsetsOfItsMethod) {
  Plant first{kDriven, {.method = euler}};
  first.run(1e-3, 1);
  EXPECT_THAT(first.offsets, ElementsAre(0, 1e-3));
  Plant fourth{kDriven, {.method = rk4}};
  fourth.run(1e-3, 1);
  EXPECT_THAT(fourth.offsets, ElementsAre(0, 5e-4, 5e-4, 1e-3, 1e-3));
  EXPECT_EQ(fourth.counters().evaluations, 5);
  Plant fifth{kDriven, {.method = dopri5}};
  fifth.run(1e-3, 1);
  const auto near = [](double value) { return DoubleNear(value, 1e-18); };
  EXPECT_THAT(fifth.offsets,
              ElementsAre(0, near(2e-4), near(3e-4), near(8e-4), near(8e-3 / 9), 1e-3, 1e-3, 1e-3));
  EXPECT_EQ(fifth.counters().evaluations, 8);
  EXPECT_EQ(fifth.counters().steps, 1);
  EXPECT_EQ(fifth.counters().last_step, 1e-3);
}

TEST(Integrator, LeavesTheDerivativesOfTheNewStates) {
  for (const IntegrationMethod method : {euler, rk4, dopri5}) {
    Plant plant{kDriven, {.method = method}};
    for (int k = 1; k <= 10; ++k) {
      plant.run(0.1, 1);
      EXPECT_DOUBLE_EQ(plant.slope[0], plant.y[0] * std::cos(0.1 * k)) << name_of(method);
    }
  }
}

TEST(Integrator, ReachesTheEndOfTheCycleExactlyAndWithoutACrumb) {
  for (const double dt : {1e-3, 0.1, 1.0 / 3, 1.0, 2.7, 10.0})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Plant plant{kDriven, {dopri5, tolerance, tolerance, 10'000}};
      for (int k = 0; k < 50; ++k) {
        ASSERT_EQ(plant.step(dt), 0);
        ASSERT_EQ(plant.offsets.back(), dt);
        for (const double offset : plant.offsets) ASSERT_TRUE(offset >= 0 && offset <= dt) << offset;
        ASSERT_GE(plant.counters().last_step, dt / (20 * static_cast<double>(plant.counters().steps)));
        ASSERT_EQ(plant.counters().evaluations, 2 + 6 * (plant.counters().steps + plant.counters().rejected));
      }
    }
}

TEST(Integrator, ReachesTheEndExactlyWhereTheSumOfTheStepsIsRounded) {
  const double ulp_of_1 = std::numeric_limits<double>::epsilon();
  for (int k = 1; k <= 8; ++k) {
    Plant plant{kDecay, {dopri5, 1e3, 1e3}};
    const double dt = 1.75 + k * ulp_of_1, first = 0.5 + ulp_of_1 / 2;
    plant.integrator.step_size() = first;
    ASSERT_EQ(plant.step(dt), 0);
    ASSERT_EQ(plant.counters().steps, 2);
    EXPECT_EQ(plant.offsets[6], first);
    for (const std::size_t i : {11U, 12U, 13U}) EXPECT_EQ(plant.offsets[i], dt) << k << ", evaluation " << i;
  }
}

TEST(Integrator, CarriesTheStepSizeFromCycleToCycle) {
  Plant plant{kOscillator, {dopri5, 1e-10, 1e-10}};
  EXPECT_EQ(plant.integrator.step_size(), 0) << "nothing is known yet: the whole cycle is tried";
  plant.run(1, 1);
  EXPECT_GT(plant.counters().rejected, 0);
  EXPECT_GT(plant.integrator.step_size(), 0);
  std::int64_t rejected = 0;
  for (int k = 0; k < 20; ++k) plant.run(1, 1), rejected += plant.counters().rejected;
  EXPECT_LE(rejected, 20);
  for (const double odd : {0.0, -1.0, kNaN, kInf, 1e-300, 1e300}) {  // whatever a file may say
    plant.integrator.step_size() = odd;
    plant.run(1, 1);
    EXPECT_EQ(plant.counters().cycles_over_budget, 0) << odd;
    EXPECT_LE(plant.error(), 1e-7) << odd;
  }
}

TEST(Integrator, EndsACycleThatIsOverBudgetOnTime) {
  for (const std::int64_t max_steps : {1, 2, 10, 100}) {
    Plant plant{kStiff, {.method = dopri5, .max_steps = max_steps}};
    for (int k = 1; k <= 100; ++k) {
      ASSERT_EQ(plant.step(1e-3), 0);
      ASSERT_EQ(plant.counters().cycles_over_budget, k) << max_steps;
      ASSERT_EQ(plant.offsets.back(), 1e-3);
      ASSERT_LE(plant.counters().evaluations, 6 * max_steps + 2);
      ASSERT_EQ(plant.counters().steps + plant.counters().rejected, max_steps + 1)
          << "with the unchecked one";
    }
  }
  // A third of the steps that stability asks for, and still the state stays on its cosine: that is why the
  // unchecked step is Euler's. With one of rk4 the error was 3e4 after 100 cycles.
  Plant hurried{kStiff, {.method = dopri5, .max_steps = 100}};
  hurried.run(1e-3, 1000);
  EXPECT_LE(hurried.error(), 1e-2);
  Plant enough{kStiff, {.method = dopri5, .max_steps = 1000}};
  enough.run(1e-3, 100);
  EXPECT_EQ(enough.counters().cycles_over_budget, 0);
  EXPECT_LE(enough.error(), 1e-6);
  Plant smooth{kDecay, {dopri5, 1e-15, 1e-15, 3}};  // a tolerance nobody can meet: only accuracy suffers
  smooth.run(0.1, 10);
  EXPECT_GT(smooth.counters().cycles_over_budget, 0);
  EXPECT_LE(smooth.error(), 0.02);
}

TEST(Integrator, FindsAJumpByItself) {
  Plant plant{kSwitch, {.method = dopri5}};
  plant.run(1, 1);
  EXPECT_GT(plant.counters().rejected, 0);
  EXPECT_LT(plant.counters().steps + plant.counters().rejected, 60);
  EXPECT_LE(plant.error(), 1e-4) << "beyond the tolerance: at a jump the estimate is no more than a hint";
  plant.run(1, 1);
  EXPECT_EQ(plant.counters().rejected, 0) << "the small steps at the jump are over";
}

TEST(Integrator, IsNotHeldUpByWhatIsNoNumber) {
  for (const double odd : {kNaN, kInf, -kInf, 1e308}) {
    static double slope_is;
    const Problem broken = {"",
                            {1.0},
                            [](double, const double*, double* slope) { slope[0] = slope_is; },
                            [](double) { return 0.0; }};
    Plant plant{broken, {.method = dopri5, .max_steps = 1'000'000}};
    slope_is = 1;
    plant.run(1, 3);
    slope_is = odd;
    plant.run(1, 3);
    if (!std::isfinite(odd)) {
      EXPECT_EQ(plant.counters().cycles_over_budget, 3) << odd;
      EXPECT_FALSE(std::isfinite(plant.y[0])) << odd;
    }
    EXPECT_LT(plant.counters().evaluations, 200) << odd << ": not the whole budget";
    slope_is = 1;
    plant.y[0] = 0;
    plant.run(1, 1);
    EXPECT_DOUBLE_EQ(plant.y[0], 1) << odd;
    plant.run(1, 2);
    EXPECT_EQ(plant.counters().steps, 1) << odd << ": the step size has recovered";
  }
  // NaN only where a stage goes too far: smaller steps stay clear of it.
  const Problem edge = {"a tank that runs empty",
                        {1.0},
                        [](double, const double* y, double* slope) { slope[0] = -std::sqrt(y[0]); },
                        [](double t) { return (1 - t / 2) * (1 - t / 2); }};
  Plant tank{edge, {.method = dopri5}};
  tank.run(1.99, 1);
  EXPECT_GT(tank.counters().rejected, 0);
  EXPECT_EQ(tank.counters().cycles_over_budget, 0);
  EXPECT_LE(tank.error(), 1e-6);
}

TEST(Integrator, EndsAtOnceWhenADerivativeJobFails) {
  for (const IntegrationMethod method : {euler, rk4, dopri5}) {
    const IntegratorSettings settings = {method, 1e-8, 1e-8};
    Plant good{kOscillator, settings};
    good.run(1, 3);
    const int last = good.step(1) == 0 ? good.calls : 0;
    for (int call = 1; call <= last; ++call) {
      Plant plant{kOscillator, settings};
      plant.run(1, 3);
      const auto y_before = bits(plant.y);
      const double step_before = plant.integrator.step_size();
      plant.fail_at = call;
      EXPECT_EQ(plant.step(1), 42);
      EXPECT_EQ(plant.calls, call) << name_of(method);
      EXPECT_EQ(bits(plant.y), y_before) << name_of(method) << ", call " << call;
      EXPECT_EQ(plant.integrator.step_size(), step_before) << name_of(method) << ", call " << call;
      plant.fail_at = 0;
      EXPECT_EQ(plant.step(1), 0);
      EXPECT_EQ(bits(plant.y), bits(good.y)) << name_of(method) << ", call " << call;
    }
  }
}

TEST(Integrator, GoesOnWithTheSameBitsFromASavedStepSize) {
  for (const Problem* problem : {&kOscillator, &kDriven, &kStiff, &kSwitch})
    for (const IntegrationMethod method : {euler, rk4, dopri5}) {
      const IntegratorSettings settings = {method, 1e-9, 1e-7, 20};
      Plant whole{*problem, settings}, first{*problem, settings}, second{*problem, settings};
      whole.run(0.07, 20);
      first.run(0.07, 7);
      second.y = first.y;
      second.begin = first.begin;
      second.cycles = first.cycles;
      second.integrator.step_size() = first.integrator.step_size();
      second.run(0.07, 13);
      EXPECT_EQ(bits(second.y), bits(whole.y)) << name_of(method) << ": " << problem->name;
      EXPECT_EQ(bits(second.slope), bits(whole.slope)) << name_of(method) << ": " << problem->name;
      EXPECT_EQ(bits({second.integrator.step_size()}), bits({whole.integrator.step_size()}));
    }
}

TEST(Integrator, WithoutAStateOnlyEvaluates) {
  const Problem nothing = {"", {}, [](double, const double*, double*) {}, [](double) { return 0.0; }};
  for (const IntegrationMethod method : {euler, rk4, dopri5}) {
    Plant plant{nothing, {.method = method}};
    EXPECT_EQ(plant.step(1e-3), 0);
    EXPECT_THAT(plant.offsets, ElementsAre(1e-3)) << name_of(method);
    EXPECT_EQ(plant.counters().steps, 0);
    plant.fail_at = 1;
    EXPECT_EQ(plant.step(1e-3), 42);
  }
}

TEST(Integrator, TakesStatesFromAnywhereAsOneSystem) {
  // Two masses of two models, a spring between them: integrated apart, the coupling would be a cycle late.
  struct {
    double position = 1, speed = 0, acceleration = 0;
  } left, right;
  right.position = -1;
  struct Both {
    decltype(left)&a, &b;
  } both{left, right};
  Integrator integrator{{.method = rk4},
                        {{&left.position, &left.speed},
                         {&left.speed, &left.acceleration},
                         {&right.position, &right.speed},
                         {&right.speed, &right.acceleration}}};
  const auto spring = [](void* context, double) {
    auto& [a, b] = *static_cast<Both*>(context);
    a.acceleration = (b.position - a.position) / 2;
    b.acceleration = -a.acceleration;
    return 0;
  };
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(integrator.step(1e-2, spring, &both), 0);
  EXPECT_NEAR(left.position, std::cos(10.0), 1e-9);
  EXPECT_EQ(right.position, -left.position);
}

TEST(Integrator, AdvancesWithoutTheLastEvaluationAndTakesItBack) {
  for (const IntegrationMethod method : {euler, rk4, dopri5}) {
    Plant whole{kDriven, {.method = method}}, plant{kDriven, {.method = method}};
    whole.run(0.5, 1);
    EXPECT_EQ(plant.integrator.advance(0.5, &Plant::derivative, &plant), 0);
    EXPECT_EQ(bits(plant.y), bits(whole.y)) << name_of(method);
    EXPECT_EQ(plant.calls, whole.calls - 1) << name_of(method);
    plant.integrator.undo();
    EXPECT_EQ(plant.y, kDriven.at_0) << name_of(method);
    EXPECT_EQ(plant.integrator.step_size(), 0) << name_of(method);
  }
}

TEST(Integrator, KeepsItsAddressesWhenItIsMoved) {
  Plant plant{kDecay, {.method = dopri5}};
  const IntegratorCounters* const counters = &plant.integrator.counters();
  const double* const step_size = &plant.integrator.step_size();
  Integrator moved = std::move(plant.integrator);
  EXPECT_EQ(&moved.counters(), counters);
  EXPECT_EQ(&moved.step_size(), step_size);
}

TEST(Integrator, RefusesWhatCannotBe) {
  double y = 0;
  struct Row {
    IntegratorSettings settings;
    IntegratedState state;
    const char* message;
  };
  const Row rows[] = {
      {{dopri5, 0, 1e-6, 1}, {&y, &y}, "absolute_tolerance: 0.000000 is not greater than 0"},
      {{dopri5, kNaN, 1e-6, 1}, {&y, &y}, "absolute_tolerance: nan is not"},
      {{dopri5, kInf, 1e-6, 1}, {&y, &y}, "absolute_tolerance: inf is not"},
      {{dopri5, 1e-9, -1, 1}, {&y, &y}, "relative_tolerance: -1.000000 is not at least 0"},
      {{dopri5, 1e-9, kNaN, 1}, {&y, &y}, "relative_tolerance: nan is not"},
      {{dopri5, 1e-9, 1e-6, 0}, {&y, &y}, "max_steps: 0 is not at least 1"},
      {{}, {&y, nullptr}, "state: 0 is not both a state and a derivative"},
      {{}, {nullptr, &y}, "state: 0 is not both a state and a derivative"},
  };
  for (const Row& row : rows) {
    try {
      Integrator integrator{row.settings, {row.state}};
      ADD_FAILURE() << "was taken: " << row.message;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr(row.message));
    }
  }
}

TEST(IntegratorRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  for (const Problem* problem : {&kOscillator, &kStiff, &kSwitch})
    for (const IntegrationMethod method : {euler, rk4, dopri5}) {
      Plant plant{*problem, {.method = method, .max_steps = 50}};
      const HeapWatch heap;  // from the very first cycle on
      for (int k = 0; k < 100; ++k) {
        (void)plant.step(0.01);
        plant.fail_at = k % 10 == 5 ? 3 : 0;
      }
      EXPECT_EQ(heap.calls(), 0U) << name_of(method) << ": " << problem->name;
    }
}

}  // namespace
}  // namespace tactus::executive::integrator_test
