// SPDX-License-Identifier: Apache-2.0
/// A petrol engine of about 1.4 l and 69 kW: torque and fuel from tables, an inertia, an idle controller.
///
///     torque       = pedal (full + drag) - drag,  pedal = max(accelerator, idle controller)
///     J dw/dt      = torque - load_torque
///     idle         = holding part + gain (idle_speed - w) + integral, within 0 .. 0.6
///     fuel_rate    = map(w, torque)                   torque >= 0
///                  = map(w, 0) (1 + torque / drag)    below: none at all when the pedal is released
///
/// The tables are made up, after the Willans line of such engines (fuel = (torque + drag) w / 0.38 / 42.5
/// MJ/kg, richer near full load); best point about 254 g/kWh. An engine that stands has no starter: it stays
/// so.
///
/// Source   L. Guzzella, A. Sciarretta, Vehicle Propulsion Systems, ch. 3 (Willans line, engine maps).
/// Units    SI; the tables in rpm, N m and g/s.
/// Time     the call at t moves the engine from t to t + cycle (explicit Euler: torque and load are held).
/// RT       step: no allocation, no system call.
#include <algorithm>
#include <array>
#include <numbers>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/vehicle/map.hpp"

namespace vehicle {

namespace {

using namespace std::chrono_literals;

constexpr std::array<double, 13> kFullRpm{0,    500,  750,  1000, 1500, 2000, 2500,
                                          3000, 3500, 4000, 5000, 6000, 6500};
constexpr std::array<double, 13> kFull{0, 60, 80, 95, 110, 120, 126, 130, 132, 131, 121, 105, 0};  // N m

constexpr std::array<double, 10> kRpm{750, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 5000, 6000};
constexpr std::array<double, 10> kDrag{11, 11.5, 12.5, 13.5, 14.5, 16, 17.5, 19, 23, 28};  // N m
constexpr std::array<double, 8> kTorque{0, 20, 40, 60, 80, 100, 120, 140};                 // N m
constexpr std::array<std::array<double, 8>, 10> kFuel{{
    {0.055, 0.155, 0.255, 0.355, 0.455, 0.554, 0.700, 0.860},  // g/s, one row per speed of kRpm
    {0.076, 0.207, 0.338, 0.470, 0.601, 0.733, 0.925, 1.135},
    {0.120, 0.312, 0.504, 0.696, 0.888, 1.080, 1.361, 1.669},
    {0.171, 0.423, 0.676, 0.929, 1.181, 1.434, 1.805, 2.211},
    {0.229, 0.545, 0.861, 1.177, 1.493, 1.809, 2.273, 2.782},
    {0.307, 0.691, 1.075, 1.459, 1.843, 2.227, 2.794, 3.415},
    {0.397, 0.851, 1.305, 1.759, 2.213, 2.667, 3.339, 4.075},
    {0.499, 1.025, 1.551, 2.076, 2.602, 3.128, 3.909, 4.764},
    {0.787, 1.472, 2.156, 2.840, 3.525, 4.209, 5.236, 6.359},
    {1.218, 2.087, 2.957, 3.826, 4.696, 5.566, 6.886, 8.328},
}};

}  // namespace

class Engine : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("inertia", inertia_, "kg m^2", "crankshaft, flywheel and clutch cover");
    d.parameter("idle_speed", idle_speed_, "rad/s", "what the idle controller holds");
    d.parameter("idle_gain", idle_gain_, "s/rad", "pedal per speed error of the idle controller");
    d.parameter("idle_integral_time", idle_integral_time_, "s", "of the idle controller");
    d.input("accelerator", accelerator_, "1", "accelerator pedal, 0 .. 1");
    d.input("load_torque", load_torque_, "N m", "what the clutch takes");
    d.output("speed", speed_, "rad/s", "of the crankshaft");
    d.output("torque", torque_, "N m", "at the flywheel; negative when the engine brakes");
    d.output("full_load_torque", full_, "N m", "the most it could give at this speed");
    d.output("drag_torque", drag_, "N m", "what it takes to turn it without fuel");
    d.output("pedal", pedal_, "1", "the larger of accelerator and idle controller");
    d.output("fuel_rate", fuel_rate_, "kg/s", "fuel flow");
    d.output("fuel", fuel_, "kg", "fuel since the start");
    d.state("crank_speed", w_, "rad/s", "speed at the end of the last step");
    d.state("fuel_total", fuel_total_, "kg", "fuel at the end of the last step");
    d.state("idle_integral", idle_integral_, "1", "integral part of the idle controller");
    models::stay_above_zero(d, {"inertia", "idle_speed", "idle_gain", "idle_integral_time"});
    d.job<&Engine::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Engine::step>("step", tactus::JobClass::scheduled, tactus::every(1ms).at_phase(20000));
  }

  void initialize() {
    models::require_positive("inertia", inertia_, "kg m^2", "0.15 kg m^2");
    models::require_positive("idle_speed", idle_speed_, "rad/s", "800 rpm");
    models::require_positive("idle_gain", idle_gain_, "s/rad", "0.02 s/rad");
    models::require_positive("idle_integral_time", idle_integral_time_, "s", "0.5 s");
    w_ = idle_speed_;
    fuel_total_ = fuel_rate_ = torque_ = 0;
    idle_integral_ = pedal_ = 0;
    look_up();
    publish();
  }

  void step(const tactus::Call& call) {
    look_up();
    pedal_ = std::max(std::clamp(accelerator_, 0.0, 1.0), idle(call.dt));
    torque_ = w_ > 0 ? pedal_ * (full_ + drag_) - drag_ : 0;
    fuel_rate_ = w_ > 0 ? 1e-3 * fuel(w_ / kRpmInRad, torque_) : 0;
    fuel_total_ += fuel_rate_ * call.dt;
    w_ = std::max(0.0, w_ + call.dt / inertia_ * (torque_ - load_torque_));
    publish();
  }

 private:
  static constexpr double kRpmInRad = std::numbers::pi / 30;

  void look_up() noexcept {
    full_ = interpolate(kFullRpm, kFull, w_ / kRpmInRad);
    drag_ = interpolate(kRpm, kDrag, w_ / kRpmInRad);
  }

  double idle(double dt) noexcept {
    const double error = idle_speed_ - w_;
    // holding keeps the speed of an unloaded engine, so the integral only has to learn the rest
    const double holding = drag_ / (full_ + drag_);
    const double wanted = holding + idle_gain_ * error + idle_integral_;
    const bool in_charge = wanted > accelerator_ && wanted > 0;
    if (in_charge) {
      idle_integral_ = std::clamp(idle_integral_ + idle_gain_ / idle_integral_time_ * dt * error, -0.1, 0.4);
    } else {
      idle_integral_ -= idle_integral_ * std::min(1.0, dt / idle_integral_time_);  // forgets while idle rests
    }
    return std::clamp(wanted, 0.0, 0.6);
  }

  double fuel(double rpm, double torque) const noexcept {
    if (torque >= 0) return interpolate(kRpm, kTorque, kFuel, rpm, torque);
    return interpolate(kRpm, kTorque, kFuel, rpm, 0) * std::max(0.0, 1 + torque / drag_);
  }

  void publish() {
    speed_ = w_;
    fuel_ = fuel_total_;
  }

  double inertia_ = 0.15, idle_speed_ = 800 * kRpmInRad, idle_gain_ = 0.02, idle_integral_time_ = 0.5;
  double accelerator_ = 0, load_torque_ = 0;
  double speed_ = 0, torque_ = 0, full_ = 0, drag_ = 0, pedal_ = 0, fuel_rate_ = 0, fuel_ = 0;
  double w_ = 0, fuel_total_ = 0, idle_integral_ = 0;
};
TACTUS_MODEL("engine", Engine, "petrol engine: torque and fuel maps, idle controller")

}  // namespace vehicle
