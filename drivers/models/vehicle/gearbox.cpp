// SPDX-License-Identifier: Apache-2.0
/// A manual five-speed gearbox with its clutch and final drive.
///
///     ratio         = gear ratio x final drive                     0 in neutral
///     clutch_torque = stiffness (w_engine - ratio w_wheel), within +- (1 - clutch) capacity
///     wheel_torque  = clutch_torque ratio efficiency               driving
///                   = clutch_torque ratio / efficiency             the wheels drive the engine
///
/// The closed clutch is a stiff damper: it transmits its torque at a slip of torque / stiffness, a few rad/s.
/// A gear can only be changed with the clutch open (pedal above 0.9); until the synchronizer is done, the
/// gearbox is in neutral. In the frame of a plant that explicit step is stable for
/// stiffness < engine inertia / delay: 0.15 kg m^2 / 2 ms = 75 N m s/rad.
///
/// Units    SI: rad/s, N m, s.
/// RT       step: no allocation, no system call.
#include <algorithm>
#include <array>
#include <cstddef>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/vehicle/gear.hpp"

namespace vehicle {

using namespace std::chrono_literals;

class Gearbox : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("ratios", ratios_, "1", "gear ratios, first to fifth");
    d.parameter("final_drive", final_drive_, "1", "ratio of the final drive");
    d.parameter("efficiency", efficiency_, "1", "power out per power in, 0 .. 1");
    d.parameter("clutch_capacity", clutch_capacity_, "N m", "largest torque of the closed clutch");
    d.parameter("clutch_stiffness", clutch_stiffness_, "N m s/rad", "torque per slip");
    d.parameter("shift_time", shift_time_, "s", "how long the synchronizer takes");
    d.input("engine_speed", engine_speed_, "rad/s", "in front of the clutch");
    d.input("wheel_speed", wheel_speed_, "rad/s", "of the driven wheels");
    d.input("gear_request", gear_request_, "1", "where the lever is", kGearLabels);
    d.input("clutch", clutch_, "1", "clutch pedal: 0 engaged, 1 disengaged");
    d.output("gear", gear_, "1", "the gear that is in; neutral while it changes", kGearLabels);
    d.output("ratio", ratio_, "1", "engine speed per wheel speed; 0 in neutral");
    d.output("clutch_torque", clutch_torque_, "N m", "load of the engine");
    d.output("wheel_torque", wheel_torque_, "N m", "drive of the car");
    d.output("slip", slip_, "rad/s", "speed difference over the clutch; 0 in neutral");
    d.state("changing_to", changing_to_, "1", "the gear the synchronizer works on", kGearLabels);
    d.state("change_left", change_left_, "s", "what the synchronizer still needs");
    models::stay_above_zero(d, {"ratios", "final_drive", "clutch_capacity", "clutch_stiffness"});
    models::stay_not_below_zero(d, {"shift_time"});
    d.range("efficiency", 1e-3, 1);
    d.job<&Gearbox::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Gearbox::step>("step", tactus::JobClass::scheduled, tactus::every(2ms).at_phase(30000));
  }

  void initialize() {
    for (const double ratio : ratios_) models::require_positive("ratios", ratio, "", "3.55");
    models::require_positive("final_drive", final_drive_, "", "3.9");
    models::require_positive("efficiency", efficiency_, "", "0.94");
    if (efficiency_ > 1) models::refuse("efficiency", efficiency_, "", "must not be above 1", "0.94");
    models::require_positive("clutch_capacity", clutch_capacity_, "N m", "250 N m");
    models::require_positive("clutch_stiffness", clutch_stiffness_, "N m s/rad", "20 N m s/rad");
    models::require_not_negative("shift_time", shift_time_, "s", "0.2 s");
    gear_ = changing_to_ = Gear::neutral;
    change_left_ = 0;
    ratio_ = clutch_torque_ = wheel_torque_ = slip_ = 0;
  }

  void step(const tactus::Call& call) {
    change(call.dt);
    const auto index = static_cast<std::size_t>(gear_);
    ratio_ = gear_ == Gear::neutral ? 0 : ratios_[index - 1] * final_drive_;
    slip_ = gear_ == Gear::neutral ? 0 : engine_speed_ - ratio_ * wheel_speed_;
    const double most = (1 - std::clamp(clutch_, 0.0, 1.0)) * clutch_capacity_;
    clutch_torque_ = std::clamp(clutch_stiffness_ * slip_, -most, most);
    wheel_torque_ = clutch_torque_ * ratio_ * (clutch_torque_ >= 0 ? efficiency_ : 1 / efficiency_);
  }

 private:
  void change(double dt) noexcept {
    const Gear wanted = std::clamp(gear_request_, Gear::neutral, Gear::fifth);
    if (wanted == gear_ || clutch_ < 0.9) return;
    if (wanted != changing_to_ || change_left_ <= 0) {  // the lever leaves the old gear
      gear_ = Gear::neutral;
      changing_to_ = wanted;
      change_left_ = wanted == Gear::neutral ? 0 : shift_time_;
    }
    change_left_ -= dt;
    if (change_left_ <= 0) gear_ = changing_to_;
  }

  std::array<double, kGears> ratios_{3.55, 1.95, 1.28, 0.95, 0.76};
  double final_drive_ = 3.9, efficiency_ = 0.94, clutch_capacity_ = 250, clutch_stiffness_ = 20;
  double shift_time_ = 0.2;
  double engine_speed_ = 0, wheel_speed_ = 0;
  Gear gear_request_ = Gear::neutral;
  double clutch_ = 0;
  Gear gear_ = Gear::neutral;
  double ratio_ = 0, clutch_torque_ = 0, wheel_torque_ = 0, slip_ = 0;
  Gear changing_to_ = Gear::neutral;
  double change_left_ = 0;
};
TACTUS_MODEL("gearbox", Gearbox, "five gears, final drive and a clutch that slips")

}  // namespace vehicle
