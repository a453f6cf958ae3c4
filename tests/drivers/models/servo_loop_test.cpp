// SPDX-License-Identifier: Apache-2.0
// The closed loop of config/rigs/servo.yaml: against a computation written a second time, and how well it
// follows.
#include <gtest/gtest.h>

#include <cmath>

#include "rigs.hpp"

namespace {

using model_host::Instance;
using model_host::SmallRig;
using Real = long double;

// The loop by hand: motor by Runge-Kutta with 1000 small steps per 200 us, controller from its equations,
// angle and speed measured without an encoder. References are a sine, whose derivatives anyone can check.
class Reference {
 public:
  void run_200us(int k) {  // the instant k * 200 us
    const Real applied = clamp(voltage_, 24);
    for (int n = 0; n < 1000; ++n) runge_kutta(applied, 200e-6L / 1000);
    if (k % 5 == 0) outer(k * 200e-6L);
    const Real error = current_reference_ - i;
    const Real wanted = 0.05L * measured_speed_ + 1.0L * error + current_integral_;
    voltage_ = clamp(wanted, 24);
    if (std::abs(wanted) <= 24 || wanted * error < 0) {
      current_integral_ += 1.0L / 1e-3L * 200e-6L * error;
    }
  }

  Real i = 0, w = 0, theta = 0;
  bool limited = false;  // the current reference has been at its limit

  static constexpr Real kRate = 40;  // rad/s
  static Real position(Real t) { return 12 * (1 - std::cos(kRate * t)); }
  static Real speed(Real t) { return 12 * kRate * std::sin(kRate * t); }
  static Real acceleration(Real t) { return 12 * kRate * kRate * std::cos(kRate * t); }

 private:
  static Real clamp(Real x, Real limit) { return x > limit ? limit : x < -limit ? -limit : x; }

  void runge_kutta(Real u, Real h) {
    const auto di = [&](Real ii, Real ww) { return (u - 0.5L * ii - 0.05L * ww) / 0.5e-3L; };
    const auto dw = [&](Real ii, Real ww) { return (0.05L * ii - 1e-5L * ww) / 1.2e-5L; };
    const Real a1 = di(i, w), b1 = dw(i, w);
    const Real a2 = di(i + h / 2 * a1, w + h / 2 * b1), b2 = dw(i + h / 2 * a1, w + h / 2 * b1);
    const Real a3 = di(i + h / 2 * a2, w + h / 2 * b2), b3 = dw(i + h / 2 * a2, w + h / 2 * b2);
    const Real a4 = di(i + h * a3, w + h * b3), b4 = dw(i + h * a3, w + h * b3);
    theta += h * w + h * h / 6 * (b1 + b2 + b3);
    i += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }

  void outer(Real t) {
    measured_speed_ = w;
    const Real command = clamp(speed(t) + 50 * (position(t) - theta), 300);
    const Real error = command - 1.08e-3L * acceleration(t) - w;
    const Real ahead = (1.2e-5L * acceleration(t) + 1e-5L * speed(t)) / 0.05L;
    const Real wanted = ahead + 0.05L * error + speed_integral_;
    current_reference_ = clamp(wanted, 5);
    limited |= std::abs(wanted) > 5;
    if (std::abs(wanted) <= 5 || wanted * error < 0) {
      speed_integral_ += 0.05L / 0.02L * 1e-3L * error;
    }
  }

  Real voltage_ = 0, current_reference_ = 0, speed_integral_ = 0, current_integral_ = 0, measured_speed_ = 0;
};

TEST(ServoLoop, AgreesWithAnIndependentComputation) {
  Instance motor("servo", "dc_servo"), controller("controller", "cascaded_pi");
  motor.initialize();
  controller.initialize();
  Reference reference;
  double voltage = 0;
  for (int k = 0; k < 2000; ++k) {  // 0.4 s
    motor.set("voltage", voltage).call("step", k * 200'000, 200e-6, k / 5);
    if (k % 5 == 0) {
      const Real t = k * 200e-6L;
      controller.set("position_reference", static_cast<double>(Reference::position(t)));
      controller.set("speed_reference", static_cast<double>(Reference::speed(t)));
      controller.set("acceleration_reference", static_cast<double>(Reference::acceleration(t)));
      controller.set("angle", motor.get("angle")).set("speed", motor.get("speed"));
      controller.call("outer", k * 200'000, 1e-3, k / 5);
    }
    controller.set("current", motor.get("current")).call("current_loop", k * 200'000, 200e-6, k / 5);
    voltage = controller.get("voltage");

    reference.run_200us(k);
    ASSERT_NEAR(motor.get("angle"), static_cast<double>(reference.theta), 1e-8) << k;
    ASSERT_NEAR(motor.get("speed"), static_cast<double>(reference.w), 1e-6) << k;
    ASSERT_NEAR(motor.get("current"), static_cast<double>(reference.i), 1e-7) << k;
  }
  EXPECT_TRUE(reference.limited) << "the limits and the anti-windup were part of the comparison";
}

TEST(ServoLoop, FollowsTheTrajectory) {
  SmallRig rig(1'000'000);
  model_host::build_servo(rig);
  rig.initialize();
  double worst = 0, rest = 0, far = 0, current = 0, voltage = 0;
  rig.run(10'000'000'000, [&](std::int64_t ns) {
    current = std::max(current, std::abs(rig.get("motor.current")));
    voltage = std::max(voltage, std::abs(rig.get("motor.voltage_applied")));
    if (ns % 1'000'000 != 0) return;
    // the encoder of this instant stands for the time of the reference; half a count is its mean error
    const double error = std::abs(rig.get("trajectory.position") - rig.get("encoder.angle"));
    worst = std::max(worst, error);
    far = std::max(far, rig.get("encoder.angle"));
    const std::int64_t in_half = (ns - 100'000'000) % 500'000'000;
    if (ns > 100'000'000 && in_half > 450'000'000) rest = std::max(rest, error);
  });
  EXPECT_GT(far, 19.99) << "it did move";
  EXPECT_LT(worst, 0.003) << "rad, of a way of 20 rad";
  EXPECT_LT(rest, 0.0015) << "rad, 100 ms after it stopped: a few counts";
  EXPECT_LT(current, 0.4) << "A, far from its limit of 5 A";
  EXPECT_LT(voltage, 6) << "V, far from its limit of 24 V";
  RecordProperty("worst_error_urad", static_cast<int>(1e6 * worst));
}

// No limit cycle at rest: quantization may move the shaft by a count or two, no more.
TEST(ServoLoop, StandsStillWhenTheReferenceDoes) {
  SmallRig rig(1'000'000);
  model_host::build_servo(rig);
  rig.initialize();
  double low = 1e9, high = -1e9, current = 0;
  rig.run(600'000'000, [&](std::int64_t ns) {
    if (ns < 550'000'000) return;  // the last 50 ms of the first dwell: 20 rad
    low = std::min(low, rig.get("motor.angle"));
    high = std::max(high, rig.get("motor.angle"));
    current = std::max(current, std::abs(rig.get("motor.current")));
  });
  EXPECT_LT(high - low, 2 * 0.000315);
  EXPECT_LT(current, 0.05);
}

// A step of speed that takes 0.1 s at the current limit. A PI that wound up meanwhile would shoot far over.
TEST(ServoLoop, RecoversFromSaturationWithoutOvershoot) {
  Instance motor("servo", "dc_servo"), controller("controller", "cascaded_pi");
  motor.initialize();
  controller.set("position_gain", 0).set("friction", 0).set("current_limit", 0.5).initialize();
  controller.set("speed_reference", 200);
  double voltage = 0, top = 0, current = 0;
  int limited = 0;
  for (int k = 0; k < 10000; ++k) {  // 2 s
    motor.set("voltage", voltage).call("step", 0, 200e-6, 0);
    controller.set("angle", motor.get("angle")).set("speed", motor.get("speed"));
    controller.set("current", motor.get("current"));
    if (k % 5 == 0) controller.call("outer", 0, 1e-3, 0);
    controller.call("current_loop", 0, 200e-6, 0);
    voltage = controller.get("voltage");
    limited += controller.get("current_reference") == 0.5;
    top = std::max(top, motor.get("speed"));
    current = std::max(current, std::abs(motor.get("current")));
  }
  EXPECT_GT(limited, 300) << "0.06 s at the least";
  EXPECT_LT(top, 200 * 1.03);
  EXPECT_LT(current, 0.6);
  EXPECT_NEAR(motor.get("speed"), 200, 1e-6);
}

// A constant load: the speed PI learns it, the position error goes to zero.
TEST(ServoLoop, ALoadLeavesNoPositionError) {
  Instance motor("servo", "dc_servo"), controller("controller", "cascaded_pi");
  motor.set("load_torque", 0.05).initialize();
  controller.initialize();
  double voltage = 0;
  for (int k = 0; k < 5000; ++k) {
    motor.set("voltage", voltage).call("step", 0, 200e-6, 0);
    controller.set("angle", motor.get("angle")).set("speed", motor.get("speed"));
    controller.set("current", motor.get("current"));
    if (k % 5 == 0) controller.call("outer", 0, 1e-3, 0);
    controller.call("current_loop", 0, 200e-6, 0);
    voltage = controller.get("voltage");
  }
  EXPECT_NEAR(motor.get("angle"), 0, 1e-6);
  EXPECT_NEAR(motor.get("current"), 1, 1e-6) << "0.05 N m at 50 mN m/A";
}

TEST(CascadedPi, RunsTheOuterLoopBeforeTheCurrentLoop) {
  const Instance controller("controller", "cascaded_pi");
  EXPECT_EQ(controller.job("outer").job_class, TACTUS_CONTROLLER);
  EXPECT_EQ(controller.job("current_loop").job_class, TACTUS_CONTROLLER);
  EXPECT_LT(controller.job("outer").phase, controller.job("current_loop").phase);
}

TEST(CascadedPi, RefusesImpossibleParameters) {
  for (const char* name : {"speed_gain", "speed_integral_time", "current_gain", "current_integral_time",
                           "torque_constant", "speed_limit", "current_limit", "voltage_limit"}) {
    Instance controller("controller", "cascaded_pi");
    controller.set(name, 0);
    EXPECT_NE(controller.try_call("initialize"), 0) << name;
    EXPECT_EQ(controller.failure().rfind(std::string(name) + ": 0 ", 0), 0U) << controller.failure();
  }
}

}  // namespace
