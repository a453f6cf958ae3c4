// SPDX-License-Identifier: Apache-2.0
// The reference: smooth, within its limits, exactly at its ends, and a pure function of time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "model_host.hpp"

namespace {

using model_host::Instance;

struct Limits {
  double from, to, speed, acceleration, jerk;
  const char* why;
};

const Limits kRows[] = {
    {0, 20, 100, 1000, 20000, "reaches every limit"},
    {5, -5, 100, 1000, 20000, "backwards, and too short for the top speed"},
    {0, 0.5, 100, 1000, 20000, "too short for the top acceleration"},
    {-1, 3, 2, 1000, 20000, "the top speed is reached before the top acceleration"},
    {2, 2, 100, 1000, 20000, "no way at all"},
    {0, 1e-9, 100, 1000, 20000, "hardly a way"},
};

void apply(Instance& it, const Limits& l) {
  it.set("from", l.from).set("to", l.to).set("max_speed", l.speed).set("max_acceleration", l.acceleration);
  it.set("max_jerk", l.jerk).set("dwell", 0.05).set("delay", 0.01);
  it.initialize();
}

TEST(Trajectory, IsSmoothAndKeepsItsLimits) {
  for (const Limits& l : kRows) {
    SCOPED_TRACE(l.why);
    Instance it("servo", "trajectory");
    apply(it, l);
    const double h = 1e-5;
    const auto rounds = static_cast<int>(2.2 * (it.get("move_time") + 0.05) / h);
    it.call("step", 0, 1e-3, 0);
    double p = it.get("position"), v = it.get("speed"), a = it.get("acceleration");
    EXPECT_EQ(p, l.from);
    for (int k = 1; k < rounds; ++k) {
      it.call("step", k * std::int64_t{10'000}, 1e-3, 0);
      const double p1 = it.get("position"), v1 = it.get("speed"), a1 = it.get("acceleration");
      ASSERT_LE(std::abs(v1), l.speed * (1 + 1e-12));
      ASSERT_LE(std::abs(a1), l.acceleration * (1 + 1e-12));
      ASSERT_LE(std::abs(a1 - a), l.jerk * h * (1 + 1e-6) + 1e-9) << "jerk at " << k * h;
      // each is the integral of the next one, by the trapezoidal rule and its error bounds
      ASSERT_NEAR(v1 - v, (a + a1) / 2 * h, l.jerk * h * h) << k * h;
      ASSERT_NEAR(p1 - p, (v + v1) / 2 * h, l.jerk * h * h * h / 11 + 2e-14) << k * h;
      ASSERT_GE(p1, std::min(l.from, l.to) - 1e-12);
      ASSERT_LE(p1, std::max(l.from, l.to) + 1e-12);
      p = p1, v = v1, a = a1;
    }
  }
}

TEST(Trajectory, RestsExactlyAtItsEnds) {
  for (const Limits& l : kRows) {
    SCOPED_TRACE(l.why);
    Instance it("servo", "trajectory");
    apply(it, l);
    const double move = it.get("move_time");
    for (const double into_dwell : {0.001, 0.025, 0.049}) {
      it.call("step", std::llround((0.01 + move + into_dwell) * 1e9), 1e-3, 0);
      EXPECT_EQ(it.get("position"), l.to);
      EXPECT_EQ(it.get("speed"), 0);
      EXPECT_EQ(it.get("acceleration"), 0);
      it.call("step", std::llround((0.01 + 2 * move + 0.05 + into_dwell) * 1e9), 1e-3, 0);
      EXPECT_EQ(it.get("position"), l.from);
      EXPECT_EQ(it.get("speed"), 0);
    }
  }
}

TEST(Trajectory, TakesAsLongAsTheTextbookSays) {
  Instance it("servo", "trajectory");
  apply(it, kRows[0]);
  EXPECT_DOUBLE_EQ(it.get("move_time"), 20.0 / 100 + 100.0 / 1000 + 1000.0 / 20000);  // h/v + v/a + a/j
  apply(it, kRows[2]);
  EXPECT_DOUBLE_EQ(it.get("move_time"), 4 * std::cbrt(0.5 / (2 * 20000)));
}

TEST(Trajectory, IsAsExactAfterYearsAsAtTheStart) {
  Instance it("servo", "trajectory");
  it.set("delay", 0).initialize();  // 0.35 s + 0.15 s: a round trip is 1 s
  for (const std::int64_t ms : {100, 260, 430, 710, 999}) {
    it.call("step", ms * 1'000'000, 1e-3, 0);
    const double early = it.get("position");
    it.call("step", (std::int64_t{100'000'000} * 1000 + ms) * 1'000'000, 1e-3, 0);
    EXPECT_NEAR(it.get("position"), early, 1e-5) << "at most one ns of rounding per round trip, 1e8 of them";
    it.call("step", ms * 1'000'000, 1e-3, 0);
    EXPECT_EQ(it.get("position"), early) << "nothing is remembered";
  }
}

TEST(Trajectory, RefusesImpossibleLimits) {
  for (const char* name : {"max_speed", "max_acceleration", "max_jerk"}) {
    Instance it("servo", "trajectory");
    it.set(name, 0);
    EXPECT_NE(it.try_call("initialize"), 0);
    EXPECT_EQ(it.failure().rfind(name, 0), 0U) << it.failure();
  }
  Instance it("servo", "trajectory");
  it.set("dwell", 1e30);
  EXPECT_NE(it.try_call("initialize"), 0);
}

}  // namespace
