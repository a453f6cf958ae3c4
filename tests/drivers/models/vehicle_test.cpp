// SPDX-License-Identifier: Apache-2.0
// The car alone: coast-down against its closed form, forces in balance, standing and stopping.
#include <gtest/gtest.h>

#include <cmath>

#include "model_host.hpp"

namespace {

using model_host::Instance;

constexpr double kGravity = 9.80665;
constexpr double kMass = 1150, kAll = 1190;            // kg: the car, and with its rotating masses
constexpr double kRolling = kMass * kGravity * 0.010;  // N
constexpr double kAir = 1.2 / 2 * 0.63;                // N s^2/m^2

// m dv/dt = -(a + c v^2):  v = sqrt(a/c) tan(atan(v0 sqrt(c/a)) - sqrt(a c) t / m),
//                          x = m / (2 c) ln((a + c v0^2) / (a + c v^2))
TEST(Vehicle, CoastsDownAsTheClosedFormSays) {
  Instance car("vehicle", "vehicle");
  const double v0 = 120 / 3.6, root = std::sqrt(kAir / kRolling), rate = std::sqrt(kAir * kRolling) / kAll;
  car.set("initial_speed", v0).initialize();
  const double until = std::atan(v0 * root) / rate;  // it stands
  EXPECT_GT(until, 100);
  int k = 0;
  for (; (k + 1) * 2e-3 < until; ++k) {
    car.call("step", 0, 2e-3, 0);
    const double v = std::tan(std::atan(v0 * root) - rate * (k + 1) * 2e-3) / root;
    const double x = kAll / (2 * kAir) * std::log((kRolling + kAir * v0 * v0) / (kRolling + kAir * v * v));
    ASSERT_NEAR(car.get("speed"), v, 1e-9) << k;
    ASSERT_NEAR(car.get("distance"), x, 1e-7) << k;
    ASSERT_EQ(car.get("wheel_speed"), car.get("speed") / 0.30);
  }
  const double x_end = kAll / (2 * kAir) * std::log(1 + kAir * v0 * v0 / kRolling);
  for (int more = 0; more < 100; ++more) car.call("step", 0, 2e-3, 0);
  EXPECT_EQ(car.get("speed"), 0) << "rolling resistance does not push backwards";
  EXPECT_NEAR(car.get("distance"), x_end, 1e-6);
}

// A parachute, so that a coarse step shows an error at all: half the step, a sixteenth of the error.
TEST(Vehicle, StepsWithOrderFour) {
  const double air = 1.2 / 2 * 600, v0 = 50, root = std::sqrt(air / kRolling);
  const double exact = std::tan(std::atan(v0 * root) - std::sqrt(air * kRolling) / kAll * 0.1) / root;
  const auto error = [&](int steps) {
    Instance car("vehicle", "vehicle");
    car.set("initial_speed", v0).set("drag_area", 600).initialize();
    for (int k = 0; k < steps; ++k) car.call("step", 0, 0.1 / steps, 0);
    return std::abs(car.get("speed") - exact);
  };
  EXPECT_GT(error(8), 1e-6) << "large enough to be seen";
  EXPECT_NEAR(error(8) / error(16), 16, 4);
  EXPECT_NEAR(error(16) / error(32), 16, 4);
}

TEST(Vehicle, ForceIsMassTimesAcceleration) {
  Instance car("vehicle", "vehicle");
  car.set("initial_speed", 20).initialize();
  car.set("wheel_torque", 300).set("grade", 0.05).call("step", 0, 1e-6, 0);
  const double angle = std::atan(0.05);
  const double hill = kMass * kGravity * std::sin(angle);
  const double rolling = kRolling * std::cos(angle);
  EXPECT_NEAR(car.get("resistance"), hill + rolling + kAir * 400, 1e-9);
  EXPECT_NEAR(car.get("acceleration"), (300 / 0.30 - hill - rolling - kAir * 400) / kAll, 1e-7);
}

TEST(Vehicle, ReachesItsTopSpeed) {
  Instance car("vehicle", "vehicle");
  car.initialize();
  car.set("wheel_torque", 300);
  for (int k = 0; k < 500'000; ++k) car.call("step", 0, 2e-3, 0);
  EXPECT_NEAR(car.get("speed"), std::sqrt((1000 - kRolling) / kAir), 1e-6);
}

// Work of the wheels = kinetic energy + rolling + air, over a run-up.
TEST(Vehicle, KeepsTheEnergyBalance) {
  Instance car("vehicle", "vehicle");
  car.initialize();
  car.set("wheel_torque", 600);
  double air = 0, v0 = 0;
  for (int k = 0; k < 10'000; ++k) {
    car.call("step", 0, 2e-3, 0);
    const double v = car.get("speed");
    air += kAir * (v0 * v0 * v0 + v * v * v) / 2 * 2e-3;
    v0 = v;
  }
  const double work = 600 / 0.30 * car.get("distance");
  EXPECT_GT(v0, 20);
  EXPECT_NEAR(work, kAll * v0 * v0 / 2 + kRolling * car.get("distance") + air, 1e-6 * work);
}

TEST(Vehicle, BrakesAndThenStands) {
  Instance car("vehicle", "vehicle");
  car.set("initial_speed", 10).set("drag_area", 0).initialize();
  car.set("brake", 0.5);
  const double deceleration = (4500 + kRolling) / kAll;
  for (int k = 0; k < 5000; ++k) {
    car.call("step", 0, 2e-3, 0);
    ASSERT_GE(car.get("speed"), 0);
  }
  EXPECT_EQ(car.get("speed"), 0);
  EXPECT_NEAR(car.get("distance"), 100 / (2 * deceleration), 1e-9);
  car.set("wheel_torque", -500).call("step", 0, 2e-3, 0);
  EXPECT_EQ(car.get("speed"), 0) << "it does not roll backwards";
}

TEST(Vehicle, TheBrakeHoldsItOnAHill) {
  Instance car("vehicle", "vehicle");
  car.initialize();
  car.set("grade", -0.10).set("brake", 0.2);  // downhill: 1122 N push, 1800 N + rolling hold
  for (int k = 0; k < 100; ++k) car.call("step", 0, 2e-3, 0);
  EXPECT_EQ(car.get("speed"), 0);
  car.set("brake", 0.1);  // 900 N hold
  for (int k = 0; k < 100; ++k) car.call("step", 0, 2e-3, 0);
  EXPECT_GT(car.get("speed"), 0);
}

TEST(Vehicle, RefusesImpossibleParameters) {
  for (const char* name : {"mass", "wheel_radius"}) {
    Instance car("vehicle", "vehicle");
    car.set(name, 0);
    EXPECT_NE(car.try_call("initialize"), 0) << name;
    EXPECT_EQ(car.failure().rfind(std::string(name) + ": 0 ", 0), 0U) << car.failure();
  }
  for (const char* name :
       {"rotating_mass", "rolling_coefficient", "drag_area", "brake_force", "initial_speed"}) {
    Instance car("vehicle", "vehicle");
    car.set(name, -1);
    EXPECT_NE(car.try_call("initialize"), 0) << name;
    EXPECT_EQ(car.failure().rfind(std::string(name) + ": -1 ", 0), 0U) << car.failure();
  }
}

}  // namespace
