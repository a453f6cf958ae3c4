// SPDX-License-Identifier: Apache-2.0
// The motor against the closed form of its equations, written here a second time.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "model_host.hpp"

namespace {

using model_host::Instance;
using Complex = std::complex<double>;

struct Motor {
  double r, l, kt, ke, j, b;
};

void apply(Instance& motor, const Motor& m) {
  motor.set("resistance", m.r).set("inductance", m.l).set("torque_constant", m.kt);
  motor.set("back_emf_constant", m.ke).set("inertia", m.j).set("friction", m.b).set("supply", 1000);
}

// s^2 + (R/L + b/J) s + (R b + k_t k_e) / (L J) = 0
std::array<Complex, 2> poles(const Motor& m) {
  const double half = (m.r / m.l + m.b / m.j) / 2;
  const double product = (m.r * m.b + m.kt * m.ke) / (m.l * m.j);
  const Complex root = std::sqrt(Complex(half * half - product));
  return {-half + root, -half - root};
}

double steady_speed(const Motor& m, double u, double load) {
  return (m.kt * u - m.r * load) / (m.r * m.b + m.kt * m.ke);
}

// Speed and angle from rest, at constant voltage and load: w = w_inf + c1 e^(s1 t) + c2 e^(s2 t), where the
// constants follow from w(0) = 0 and dw/dt(0) = -load / J.
std::array<double, 2> step_response(const Motor& m, double u, double load, double t) {
  const auto [s1, s2] = poles(m);
  const double w_inf = steady_speed(m, u, load);
  const double slope = -load / m.j;
  const Complex c1 = (slope + s2 * w_inf) / (s1 - s2);
  const Complex c2 = -w_inf - c1;
  const Complex speed = w_inf + c1 * std::exp(s1 * t) + c2 * std::exp(s2 * t);
  const Complex angle = w_inf * t + c1 / s1 * (std::exp(s1 * t) - 1.0) + c2 / s2 * (std::exp(s2 * t) - 1.0);
  return {speed.real(), angle.real()};
}

const Motor kComplex{0.5, 0.5e-3, 0.05, 0.05, 1.2e-5, 1e-5};  // overshoots
const Motor kReal{0.5, 0.1e-3, 0.05, 0.05, 1.2e-5, 1e-5};     // creeps

void follow_closed_form(const Motor& m, double u, double load) {
  Instance motor("servo", "dc_servo");
  apply(motor, m);
  motor.initialize();
  motor.set("voltage", u).set("load_torque", load);
  const double dt = 200e-6;
  for (int k = 0; k < 500; ++k) {
    motor.call("step", k * 200'000, dt, k / 5);
    const auto [speed, angle] = step_response(m, u, load, dt * (k + 1));
    ASSERT_NEAR(motor.get("speed"), speed, 1e-9 * 240) << "step " << k;
    ASSERT_NEAR(motor.get("angle"), angle, 1e-9 * 24) << "step " << k;
  }
}

TEST(DcServo, FollowsTheClosedFormWithComplexPoles) {
  ASSERT_NE(poles(kComplex)[0].imag(), 0);
  follow_closed_form(kComplex, 12, 0);
  follow_closed_form(kComplex, -12, 0.02);
}

TEST(DcServo, FollowsTheClosedFormWithRealPoles) {
  ASSERT_EQ(poles(kReal)[0].imag(), 0);
  follow_closed_form(kReal, 12, 0);
  follow_closed_form(kReal, -12, 0.02);
}

TEST(DcServo, OvershootsOnlyWithComplexPoles) {
  for (const Motor& m : {kComplex, kReal}) {
    Instance motor("servo", "dc_servo");
    apply(motor, m);
    motor.initialize();
    motor.set("voltage", 12);
    double top = 0;
    for (int k = 0; k < 500; ++k) {
      motor.call("step", k * 200'000, 200e-6, k / 5);
      top = std::max(top, motor.get("speed"));
    }
    const double end = steady_speed(m, 12, 0);
    EXPECT_EQ(top > 1.01 * end, m.l == kComplex.l) << top << " of " << end;
  }
}

TEST(DcServo, ComesToTheSteadyState) {
  Instance motor("servo", "dc_servo");
  apply(motor, kComplex);
  motor.initialize();
  motor.set("voltage", 12).set("load_torque", 0.03);
  for (int k = 0; k < 5000; ++k) motor.call("step", k * 200'000, 200e-6, k / 5);
  const Motor& m = kComplex;
  const double speed = (m.kt * 12 - m.r * 0.03) / (m.r * m.b + m.kt * m.ke);
  EXPECT_NEAR(motor.get("speed"), speed, 1e-9 * speed);
  EXPECT_NEAR(motor.get("current"), (0.03 + m.b * speed) / m.kt, 1e-9);
  EXPECT_NEAR(motor.get("torque"), 0.03 + m.b * speed, 1e-10);
}

TEST(DcServo, GivesTheSameForAnyCycle) {
  const auto after_20ms = [](int steps) {
    Instance motor("servo", "dc_servo");
    apply(motor, kComplex);
    motor.initialize();
    motor.set("voltage", 12).set("load_torque", 0.01);
    for (int k = 0; k < steps; ++k) motor.call("step", 0, 0.02 / steps, 0);
    return std::array{motor.get("current"), motor.get("speed"), motor.get("angle")};
  };
  const auto one = after_20ms(1);
  for (const int steps : {7, 100, 20000}) {
    const auto many = after_20ms(steps);
    EXPECT_NEAR(many[0], one[0], 1e-9) << steps;
    EXPECT_NEAR(many[1], one[1], 1e-8) << steps;
    EXPECT_NEAR(many[2], one[2], 1e-9) << steps;
  }
}

// Electrical energy in = copper + friction + load + stored in winding and rotor. The integrals are taken with
// the trapezoidal rule over 1 us.
TEST(DcServo, KeepsTheEnergyBalance) {
  const Motor& m = kComplex;
  Instance motor("servo", "dc_servo");
  apply(motor, m);
  motor.initialize();
  const double dt = 1e-6, load = 0.02;
  motor.set("load_torque", load);
  double in = 0, copper = 0, friction = 0, out = 0;
  double i0 = 0, w0 = 0;
  for (int k = 0; k < 30000; ++k) {
    const double u = k < 15000 ? 12 : -6;
    motor.set("voltage", u);
    motor.call("step", k * 1000, dt, k / 1000);
    const double i1 = motor.get("current"), w1 = motor.get("speed");
    in += u * (i0 + i1) / 2 * dt;
    copper += m.r * (i0 * i0 + i1 * i1) / 2 * dt;
    friction += m.b * (w0 * w0 + w1 * w1) / 2 * dt;
    out += load * (w0 + w1) / 2 * dt;
    i0 = i1;
    w0 = w1;
  }
  const double stored = m.l * i0 * i0 / 2 + m.j * w0 * w0 / 2;
  EXPECT_GT(in, 0.5);
  EXPECT_NEAR(in, copper + friction + out + stored, 1e-6 * copper);
}

TEST(DcServo, LimitsTheVoltageToItsSupply) {
  Instance motor("servo", "dc_servo"), reference("servo", "dc_servo");
  for (Instance* it : {&motor, &reference}) it->set("supply", 24).initialize();
  motor.set("voltage", -1000);
  reference.set("voltage", -24);
  for (int k = 0; k < 100; ++k) {
    motor.call("step", 0, 200e-6, 0);
    reference.call("step", 0, 200e-6, 0);
    ASSERT_EQ(motor.get("voltage_applied"), -24);
    ASSERT_EQ(motor.get("speed"), reference.get("speed"));
  }
  EXPECT_LT(motor.get("speed"), -1);
}

TEST(DcServo, StartsWhereItIsTold) {
  Instance motor("servo", "dc_servo");
  motor.set("initial_speed", 10).set("initial_angle", 3);
  motor.initialize();
  EXPECT_EQ(motor.get("speed"), 10);
  EXPECT_EQ(motor.get("angle"), 3);
  motor.call("step", 0, 200e-6, 0);
  EXPECT_LT(motor.get("speed"), 10) << "short-circuited, it brakes itself";
  EXPECT_NEAR(motor.get("angle"), 3 + 10 * 200e-6, 1e-4);
}

TEST(DcServo, ForgetsTheOldParametersWhenInitializedAgain) {
  Instance motor("servo", "dc_servo"), fresh("servo", "dc_servo");
  motor.initialize();
  motor.set("voltage", 12).call("step", 0, 200e-6, 0);
  for (Instance* it : {&motor, &fresh}) it->set("inertia", 1e-3).initialize();
  fresh.set("voltage", 12);
  motor.call("step", 0, 200e-6, 0);
  fresh.call("step", 0, 200e-6, 0);
  EXPECT_EQ(motor.get("speed"), fresh.get("speed"));
  EXPECT_EQ(motor.get("current"), fresh.get("current"));
}

TEST(DcServo, RefusesWhatNoMotorHas) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name :
       {"resistance", "inductance", "torque_constant", "back_emf_constant", "inertia", "supply"}) {
    for (const double bad : {0.0, -1.0, nan}) {
      Instance motor("servo", "dc_servo");
      motor.set(name, bad);
      EXPECT_NE(motor.try_call("initialize"), 0) << name << " = " << bad;
      EXPECT_EQ(motor.failure().rfind(std::string(name) + ": ", 0), 0U) << motor.failure();
      EXPECT_NE(motor.failure().find("; try "), std::string::npos) << motor.failure();
    }
  }
}

}  // namespace
