// SPDX-License-Identifier: Apache-2.0
/// A DC motor with its shaft: winding and rotor, fed from a supply of limited voltage.
///
///     L di/dt     = u - R i - k_e w
///     J dw/dt     = k_t i - b w - T_load
///     dtheta/dt   = w
///
/// Source   any text on electrical drives, e.g. W. Leonhard, Control of Electrical Drives, ch. 5.
/// Units    SI: V, A, Ohm, H, rad, rad/s, N m, kg m^2, s.
/// Time     the call at t moves the motor from t to t + cycle with voltage and load held: the exact solution
///          of the equations above, whatever the cycle. A sensor that runs at t + cycle reads the outputs.
/// RT       step: no allocation, no system call. The step matrix is made in the first call, when the cycle
///          is known: a few microseconds, once, and once more after a restart.
#include <algorithm>
#include <array>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/servo/exponential.hpp"

namespace servo {

using namespace std::chrono_literals;

class DcServo : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("resistance", resistance_, "Ohm", "winding resistance R");
    d.parameter("inductance", inductance_, "H", "winding inductance L");
    d.parameter("torque_constant", torque_constant_, "N m/A", "k_t: torque per current");
    d.parameter("back_emf_constant", back_emf_constant_, "V s/rad", "k_e: voltage per speed");
    d.parameter("inertia", inertia_, "kg m^2", "rotor and everything fixed to its shaft");
    d.parameter("friction", friction_, "N m s/rad", "b: viscous friction of the bearings");
    d.parameter("supply", supply_, "V", "the voltage is limited to +- this");
    d.parameter("initial_speed", initial_speed_, "rad/s", "speed of the shaft at the start");
    d.parameter("initial_angle", initial_angle_, "rad", "angle of the shaft at the start");
    d.input("voltage", voltage_, "V", "what the controller asks for");
    d.input("load_torque", load_torque_, "N m", "torque of the load; positive brakes positive speed");
    d.output("current", current_, "A", "winding current");
    d.output("speed", speed_, "rad/s", "speed of the shaft");
    d.output("angle", angle_, "rad", "angle of the shaft; it counts the turns, it does not wrap");
    d.output("torque", torque_, "N m", "torque of the motor on its rotor, k_t i");
    d.output("voltage_applied", voltage_applied_, "V", "the voltage after the supply limit");
    d.state("winding_current", i_, "A", "current at the end of the last step");
    d.state("shaft_speed", w_, "rad/s", "speed at the end of the last step");
    d.state("shaft_angle", theta_, "rad", "angle at the end of the last step");
    models::stay_above_zero(
        d, {"resistance", "inductance", "torque_constant", "back_emf_constant", "inertia", "supply"});
    models::stay_not_below_zero(d, {"friction"});
    d.job<&DcServo::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&DcServo::step>("step", tactus::JobClass::scheduled, tactus::every(200us));
    d.job<&DcServo::forget_matrix>("forget_matrix", tactus::JobClass::restart);
  }

  void initialize() {
    models::require_positive("resistance", resistance_, "Ohm", "0.5 Ohm");
    models::require_positive("inductance", inductance_, "H", "0.5 mH");
    models::require_positive("torque_constant", torque_constant_, "N m/A", "50 mN m/A");
    models::require_positive("back_emf_constant", back_emf_constant_, "V s/rad", "50 mV s/rad");
    models::require_positive("inertia", inertia_, "kg m^2", "120 g cm^2");
    models::require_not_negative("friction", friction_, "N m s/rad", "1e-5 N m s/rad");
    models::require_positive("supply", supply_, "V", "24 V");
    models::require_finite("initial_speed", initial_speed_, "rad/s", "0 rad/s");
    models::require_finite("initial_angle", initial_angle_, "rad", "0 rad");
    forget_matrix();
    i_ = 0;
    w_ = initial_speed_;
    theta_ = initial_angle_;
    voltage_applied_ = 0;
    publish();
  }

  /// A new matrix in the next step: a checkpoint may have brought other parameters.
  void forget_matrix() { matrix_dt_ = 0; }

  void step(const tactus::Call& call) {
    if (call.dt != matrix_dt_) discretize(call.dt);
    voltage_applied_ = std::clamp(voltage_, -supply_, supply_);
    const std::array<double, 5> from{i_, w_, theta_, voltage_applied_, load_torque_};
    const auto row = [&](std::size_t r) {
      double sum = 0;
      for (std::size_t c = 0; c < from.size(); ++c) sum += matrix_[r][c] * from[c];
      return sum;
    };
    i_ = row(0);
    w_ = row(1);
    theta_ = row(2);
    publish();
  }

 private:
  void discretize(double dt) {
    Matrix<5> rate{};  // of (i, w, theta, u, T_load); the two inputs stand still
    rate[0] = {-resistance_ / inductance_, -back_emf_constant_ / inductance_, 0, 1 / inductance_, 0};
    rate[1] = {torque_constant_ / inertia_, -friction_ / inertia_, 0, 0, -1 / inertia_};
    rate[2] = {0, 1, 0, 0, 0};
    for (auto& r : rate) {
      for (double& value : r) value *= dt;
    }
    matrix_ = exponential(rate);
    matrix_dt_ = dt;
  }

  void publish() {
    current_ = i_;
    speed_ = w_;
    angle_ = theta_;
    torque_ = torque_constant_ * i_;
  }

  double resistance_ = 0.5, inductance_ = 0.5e-3, torque_constant_ = 0.05, back_emf_constant_ = 0.05;
  double inertia_ = 1.2e-5, friction_ = 1e-5, supply_ = 24, initial_speed_ = 0, initial_angle_ = 0;
  double voltage_ = 0, load_torque_ = 0;
  double current_ = 0, speed_ = 0, angle_ = 0, torque_ = 0, voltage_applied_ = 0;
  double i_ = 0, w_ = 0, theta_ = 0;

  // Made of the parameters and the cycle, so no state:
  Matrix<5> matrix_{};
  double matrix_dt_ = 0;  // the cycle matrix_ was made for; 0: none yet
};
TACTUS_MODEL("dc_servo", DcServo, "DC motor with winding dynamics; exact step")

}  // namespace servo
