// SPDX-License-Identifier: Apache-2.0
/// A car on a straight road: one mass, driven and braked at its wheels.
///
///     (m + m_rot) dv/dt = T_wheel / r - F_brake - m g (f_r cos a + sin a) - rho/2 c_d A v^2
///     dx/dt             = v                                   with tan a = grade
///
/// Rolling resistance and brakes only resist: they hold a standing car, they never push it back. The car does
/// not roll backwards: v >= 0.
///
/// Source   M. Mitschke, H. Wallentowitz, Dynamik der Kraftfahrzeuge, part A (driving resistances).
/// Units    SI: m, m/s, N, N m, kg.
/// Time     the call at t moves the car from t to t + cycle by one classical Runge-Kutta step (order 4), with
///          torque, brake and grade held. At 2 ms its error is far below rounding of a recorded value.
/// RT       step: no allocation, no system call.
#include <algorithm>
#include <cmath>
#include <tactus/model.hpp>

#include "models/check.hpp"

namespace vehicle {

using namespace std::chrono_literals;

class Vehicle : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("mass", mass_, "kg", "of the car and its load");
    d.parameter("rotating_mass", rotating_mass_, "kg",
                "inertia of wheels and drive line, as a mass at the road");
    d.parameter("rolling_coefficient", rolling_coefficient_, "1", "f_r: rolling resistance per weight");
    d.parameter("drag_area", drag_area_, "m^2", "c_d A: drag coefficient times frontal area");
    d.parameter("air_density", air_density_, "kg/m^3", "density of the air");
    d.parameter("wheel_radius", wheel_radius_, "m", "r: rolling radius of the driven wheels");
    d.parameter("brake_force", brake_force_, "N", "of the brakes at full pedal");
    d.parameter("initial_speed", initial_speed_, "m/s", "speed at the start");
    d.input("wheel_torque", wheel_torque_, "N m", "of the drive, at the wheels");
    d.input("brake", brake_, "1", "brake pedal, 0 .. 1");
    d.input("grade", grade_, "1", "rise of the road per length; 0.1 is a hill of 10 percent");
    d.output("speed", speed_, "m/s", "speed of the car, never below 0");
    d.output("acceleration", acceleration_, "m/s^2", "mean acceleration of the last step");
    d.output("distance", distance_, "m", "way since the start");
    d.output("wheel_speed", wheel_speed_, "rad/s", "of the driven wheels, without slip");
    d.output("resistance", resistance_, "N", "rolling, hill and air at the last step's beginning");
    d.state("v", v_, "m/s", "speed at the end of the last step");
    d.state("x", x_, "m", "way at the end of the last step");
    models::stay_above_zero(d, {"mass", "wheel_radius"});
    models::stay_not_below_zero(d, {"rotating_mass", "rolling_coefficient", "drag_area", "air_density",
                                    "brake_force", "initial_speed"});
    d.job<&Vehicle::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Vehicle::step>("step", tactus::JobClass::scheduled, tactus::every(2ms).at_phase(40000));
  }

  void initialize() {
    models::require_positive("mass", mass_, "kg", "1200 kg");
    models::require_not_negative("rotating_mass", rotating_mass_, "kg", "40 kg");
    models::require_not_negative("rolling_coefficient", rolling_coefficient_, "", "0.01");
    models::require_not_negative("drag_area", drag_area_, "m^2", "0.63 m^2");
    models::require_not_negative("air_density", air_density_, "kg/m^3", "1.2 kg/m^3");
    models::require_positive("wheel_radius", wheel_radius_, "m", "0.3 m");
    models::require_not_negative("brake_force", brake_force_, "N", "9 kN");
    models::require_not_negative("initial_speed", initial_speed_, "m/s", "0 m/s");
    v_ = initial_speed_;
    x_ = 0;
    acceleration_ = resistance_ = 0;
    publish();
  }

  void step(const tactus::Call& call) {
    const double cosine = 1 / std::sqrt(1 + grade_ * grade_);
    const double weight = mass_ * kGravity;
    const double push = wheel_torque_ / wheel_radius_ - weight * grade_ * cosine;
    const double hold = weight * rolling_coefficient_ * cosine + std::clamp(brake_, 0.0, 1.0) * brake_force_;
    const double air = air_density_ / 2 * drag_area_;
    resistance_ = weight * cosine * (rolling_coefficient_ + grade_) + air * v_ * v_;

    const double before = v_;
    const auto rate = [&](double v) { return (push - hold - air * v * v) / (mass_ + rotating_mass_); };
    const double h = call.dt;
    const double k1 = rate(v_);
    const double k2 = rate(v_ + h / 2 * k1);
    const double k3 = rate(v_ + h / 2 * k2);
    const double k4 = rate(v_ + h * k3);
    const double after = v_ + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if (after > 0) {
      x_ += h * v_ + h * h / 6 * (k1 + k2 + k3);  // the same Runge-Kutta step for dx/dt = v
      v_ = after;
    } else {  // it stops inside the step: at constant deceleration, after v / -k1
      x_ += k1 < 0 ? v_ * v_ / (-2 * k1) : 0;
      v_ = 0;
    }
    acceleration_ = (v_ - before) / call.dt;
    publish();
  }

 private:
  static constexpr double kGravity = 9.80665;  // m/s^2, the standard value

  void publish() {
    speed_ = v_;
    distance_ = x_;
    wheel_speed_ = v_ / wheel_radius_;
  }

  double mass_ = 1150, rotating_mass_ = 40, rolling_coefficient_ = 0.010, drag_area_ = 0.63;
  double air_density_ = 1.2, wheel_radius_ = 0.30, brake_force_ = 9000, initial_speed_ = 0;
  double wheel_torque_ = 0, brake_ = 0, grade_ = 0;
  double speed_ = 0, acceleration_ = 0, distance_ = 0, wheel_speed_ = 0, resistance_ = 0;
  double v_ = 0, x_ = 0;
};
TACTUS_MODEL("vehicle", Vehicle, "a car's longitudinal motion: resistances, grade, brakes")

}  // namespace vehicle
