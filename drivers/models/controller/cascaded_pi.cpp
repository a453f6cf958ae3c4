// SPDX-License-Identifier: Apache-2.0
/// The usual cascade of a position drive: position P, speed PI, current PI.
///
///     outer        speed_command = speed reference + position_gain (position reference - angle)
///                  current_reference = PI(speed_command - speed) + J a / k_t + b w / k_t
///     current_loop voltage = PI(current_reference - current) + k_e speed
///
/// The measured speed is a little old (an encoder averages over its cycle and its filter): `speed_age` says
/// by how much, and the command is compared as it was then, speed_command - speed_age a. Without it every
/// acceleration looks like a speed error of speed_age a.
///
/// Source   D. Schroeder, Elektrische Antriebe: Regelung von Antriebssystemen, ch. 3 (cascade control).
/// Units    SI: rad, rad/s, rad/s^2, A, V, s.
/// Order    outer has the lower phase: where both are due, the current loop sees the new reference.
/// RT       no allocation, no system call.
#include <algorithm>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/controller/pi.hpp"

namespace controller {

using namespace std::chrono_literals;

class CascadedPi : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("position_gain", position_gain_, "1/s", "speed per position error; 0: speed control only");
    d.parameter("speed_gain", speed_gain_, "A s/rad", "current per speed error");
    d.parameter("speed_integral_time", speed_integral_time_, "s", "of the speed PI");
    d.parameter("speed_age", speed_age_, "s", "how old the measured speed is");
    d.parameter("current_gain", current_gain_, "V/A", "voltage per current error");
    d.parameter("current_integral_time", current_integral_time_, "s",
                "of the current PI; L / R cancels a pole");
    d.parameter("inertia", inertia_, "kg m^2", "for the acceleration feed-forward; 0: none");
    d.parameter("friction", friction_, "N m s/rad", "for the speed feed-forward; 0: none");
    d.parameter("torque_constant", torque_constant_, "N m/A", "of the motor");
    d.parameter("back_emf_constant", back_emf_constant_, "V s/rad", "for the voltage feed-forward; 0: none");
    d.parameter("speed_limit", speed_limit_, "rad/s", "limit of the speed command");
    d.parameter("current_limit", current_limit_, "A", "limit of the current reference");
    d.parameter("voltage_limit", voltage_limit_, "V", "limit of the voltage: that of the supply");
    d.input("position_reference", position_reference_, "rad", "where the shaft should be");
    d.input("speed_reference", speed_reference_, "rad/s", "its derivative");
    d.input("acceleration_reference", acceleration_reference_, "rad/s^2", "its second derivative");
    d.input("angle", angle_, "rad", "measured angle");
    d.input("speed", speed_, "rad/s", "measured speed");
    d.input("current", current_, "A", "measured current");
    d.output("voltage", voltage_, "V", "for the motor");
    d.output("current_reference", current_reference_, "A", "what the speed loop asks of the current loop");
    d.output("speed_command", speed_command_, "rad/s", "what the position loop asks of the speed loop");
    d.output("position_error", position_error_, "rad", "position reference minus measured angle");
    d.state("speed_integral", speed_integral_, "A", "integral part of the speed PI");
    d.state("current_integral", current_integral_, "V", "integral part of the current PI");
    models::stay_above_zero(d, {"speed_gain", "speed_integral_time", "current_gain", "current_integral_time",
                                "torque_constant", "speed_limit", "current_limit", "voltage_limit"});
    models::stay_not_below_zero(d,
                                {"position_gain", "speed_age", "inertia", "friction", "back_emf_constant"});
    d.job<&CascadedPi::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&CascadedPi::outer>("outer", tactus::JobClass::controller, tactus::every(1ms).at_phase(20000));
    d.job<&CascadedPi::current_loop>("current_loop", tactus::JobClass::controller,
                                     tactus::every(200us).at_phase(30000));
  }

  void initialize() {
    models::require_not_negative("position_gain", position_gain_, "1/s", "50 1/s");
    models::require_positive("speed_gain", speed_gain_, "A s/rad", "0.05 A s/rad");
    models::require_positive("speed_integral_time", speed_integral_time_, "s", "20 ms");
    models::require_not_negative("speed_age", speed_age_, "s", "1.08 ms");
    models::require_positive("current_gain", current_gain_, "V/A", "1 V/A");
    models::require_positive("current_integral_time", current_integral_time_, "s", "1 ms");
    models::require_not_negative("inertia", inertia_, "kg m^2", "120 g cm^2");
    models::require_not_negative("friction", friction_, "N m s/rad", "1e-5 N m s/rad");
    models::require_positive("torque_constant", torque_constant_, "N m/A", "50 mN m/A");
    models::require_not_negative("back_emf_constant", back_emf_constant_, "V s/rad", "50 mV s/rad");
    models::require_positive("speed_limit", speed_limit_, "rad/s", "300 rad/s");
    models::require_positive("current_limit", current_limit_, "A", "5 A");
    models::require_positive("voltage_limit", voltage_limit_, "V", "24 V");
    voltage_ = current_reference_ = speed_command_ = position_error_ = 0;
    speed_integral_ = current_integral_ = 0;
  }

  void outer(const tactus::Call& call) {
    position_error_ = position_reference_ - angle_;
    speed_command_ =
        std::clamp(speed_reference_ + position_gain_ * position_error_, -speed_limit_, speed_limit_);
    const double error = speed_command_ - speed_age_ * acceleration_reference_ - speed_;
    const double torque = inertia_ * acceleration_reference_ + friction_ * speed_reference_;
    const Pi pi{speed_gain_, speed_integral_time_};
    current_reference_ = pi.step(error, torque / torque_constant_, current_limit_, call.dt, speed_integral_);
  }

  void current_loop(const tactus::Call& call) {
    const Pi pi{current_gain_, current_integral_time_};
    voltage_ = pi.step(current_reference_ - current_, back_emf_constant_ * speed_, voltage_limit_, call.dt,
                       current_integral_);
  }

 private:
  double position_gain_ = 50, speed_gain_ = 0.05, speed_integral_time_ = 0.02, speed_age_ = 1.08e-3;
  double current_gain_ = 1, current_integral_time_ = 1e-3;
  double inertia_ = 1.2e-5, friction_ = 1e-5, torque_constant_ = 0.05, back_emf_constant_ = 0.05;
  double speed_limit_ = 300, current_limit_ = 5, voltage_limit_ = 24;
  double position_reference_ = 0, speed_reference_ = 0, acceleration_reference_ = 0;
  double angle_ = 0, speed_ = 0, current_ = 0;
  double voltage_ = 0, current_reference_ = 0, speed_command_ = 0, position_error_ = 0;
  double speed_integral_ = 0, current_integral_ = 0;
};
TACTUS_MODEL("cascaded_pi", CascadedPi, "position, speed and current control with anti-windup")

}  // namespace controller
