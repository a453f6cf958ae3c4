// SPDX-License-Identifier: Apache-2.0
/// A driver with two hands and three feet who follows a speed: accelerator, brake, clutch and gear lever.
///
///     e      = reference - speed
///     a      = acceleration_ahead + gain e + integral + rolling + air speed^2      what the wheels must give
///     a > -coast:  accelerator = (a + coast) / (pull + coast)
///     a < -coast:  brake       = (-a - coast) / brake_pull
///
/// pull and coast are what the driver has learnt of the car: its acceleration with the pedal down and with
/// the pedal up, gear by gear. With the clutch open both are 0.
///
/// A change of gear: pedal up, clutch down, lever, wait for the gearbox, clutch slowly up. At low engine
/// speed the clutch slips, so that the engine neither stalls nor jerks: that is also how the car starts.
///
/// Units    SI: m/s, m/s^2, rad/s, s; pedals 0 .. 1.
/// RT       no allocation, no system call.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/vehicle/gear.hpp"

namespace vehicle {

using namespace std::chrono_literals;

enum class Shifts : std::int32_t { by_schedule, by_engine_speed };

class Driver : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("gain", gain_, "1/s", "acceleration per speed error");
    d.parameter("integral_time", integral_time_, "s", "of the PI");
    d.parameter("rolling", rolling_, "m/s^2", "what the road takes, as the driver feels it");
    d.parameter("air", air_, "1/m", "what the air takes, per speed squared");
    d.parameter("pull", pull_, "m/s^2", "acceleration with the pedal down, first to fifth gear");
    d.parameter("coast", coast_, "m/s^2", "deceleration with the pedal up, first to fifth gear");
    d.parameter("brake_pull", brake_pull_, "m/s^2", "deceleration with the brake pedal down");
    d.parameter("press_time", press_time_, "s", "how long the clutch pedal goes down");
    d.parameter("release_time", release_time_, "s", "how long it comes up");
    d.parameter("slip_from", slip_from_, "rad/s", "engine speed at which the clutch is kept open");
    d.parameter("slip_to", slip_to_, "rad/s", "engine speed above which it may be closed");
    d.parameter("shifts", shifts_, "1", "who chooses the gear",
                {{"by_schedule", Shifts::by_schedule}, {"by_engine_speed", Shifts::by_engine_speed}});
    d.parameter("shift_up", shift_up_, "rad/s", "by_engine_speed: next gear above this");
    d.parameter("shift_down", shift_down_, "rad/s", "by_engine_speed: gear before below this");
    d.input("reference", reference_, "m/s", "speed to follow");
    d.input("acceleration_ahead", acceleration_ahead_, "m/s^2", "mean acceleration of the coming moment");
    d.input("scheduled_gear", scheduled_gear_, "1", "by_schedule: the gear to be in", kGearLabels);
    d.input("scheduled_open", scheduled_open_, "1", "by_schedule: keep the clutch disengaged");
    d.input("speed", speed_, "m/s", "of the car");
    d.input("engine_speed", engine_speed_, "rad/s", "as the rev counter shows it");
    d.input("gear_in", gear_in_, "1", "the gear the gearbox is in", kGearLabels);
    d.output("accelerator", accelerator_, "1", "accelerator pedal, 0 .. 1");
    d.output("brake", brake_, "1", "brake pedal, 0 .. 1");
    d.output("clutch", clutch_, "1", "clutch pedal: 0 engaged, 1 disengaged");
    d.output("gear", gear_, "1", "where the lever is", kGearLabels);
    d.output("speed_error", speed_error_, "m/s", "reference minus speed");
    d.state("integral", integral_, "m/s^2", "integral part of the PI");
    d.state("pedal", pedal_, "1", "clutch pedal before the slip at low speed");
    d.state("chosen", chosen_, "1", "by_engine_speed: the gear to be in", kGearLabels);
    d.state("since_shift", since_shift_, "s", "by_engine_speed: time in this gear");
    models::stay_above_zero(d, {"gain", "integral_time", "pull", "brake_pull", "press_time", "release_time",
                                "slip_from", "shift_down"});
    models::stay_not_below_zero(d, {"rolling", "air", "coast"});
    d.range("slip_to", models::kLeast, models::kMost);
    d.job<&Driver::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Driver::step>("step", tactus::JobClass::controller, tactus::every(10ms));
  }

  void initialize() {
    models::require_positive("gain", gain_, "1/s", "1 1/s");
    models::require_positive("integral_time", integral_time_, "s", "5 s");
    models::require_not_negative("rolling", rolling_, "m/s^2", "0.1 m/s^2");
    models::require_not_negative("air", air_, "1/m", "0.0003 1/m");
    for (const double pull : pull_) models::require_positive("pull", pull, "m/s^2", "1 m/s^2");
    for (const double coast : coast_) models::require_not_negative("coast", coast, "m/s^2", "0.1 m/s^2");
    models::require_positive("brake_pull", brake_pull_, "m/s^2", "7.5 m/s^2");
    models::require_positive("press_time", press_time_, "s", "0.1 s");
    models::require_positive("release_time", release_time_, "s", "0.4 s");
    models::require_positive("slip_from", slip_from_, "rad/s", "70 rad/s");
    if (!(slip_to_ > slip_from_)) {
      models::refuse("slip_to", slip_to_, "rad/s", "must be above slip_from", "100 rad/s");
    }
    models::require_positive("shift_down", shift_down_, "rad/s", "1100 rpm");
    if (!(shift_up_ > 2 * shift_down_)) {
      models::refuse("shift_up", shift_up_, "rad/s", "must be above twice shift_down, or it would hunt",
                     "2500 rpm");
    }
    accelerator_ = brake_ = speed_error_ = integral_ = since_shift_ = 0;
    clutch_ = pedal_ = 1;
    gear_ = chosen_ = Gear::neutral;
  }

  void step(const tactus::Call& call) {
    const Gear wanted = shifts_ == Shifts::by_schedule ? scheduled_gear_ : choose(call.dt);
    move_lever(wanted, call.dt);
    drive(call.dt);
  }

 private:
  static constexpr double kRpm = std::numbers::pi / 30;  // rad/s

  bool wants_to_stand() const noexcept { return reference_ <= 0 && acceleration_ahead_ <= 0; }

  Gear choose(double dt) noexcept {
    since_shift_ += dt;
    if (wants_to_stand() && speed_ < 0.5) return chosen_ = Gear::neutral;
    if (chosen_ == Gear::neutral) return chosen_ = Gear::first;
    if (chosen_ != gear_in_ || since_shift_ < 1.5) return chosen_;  // one change at a time
    const int step = engine_speed_ > shift_up_ ? 1 : engine_speed_ < shift_down_ ? -1 : 0;
    const auto next = static_cast<Gear>(std::clamp(static_cast<int>(chosen_) + step, 1, kGears));
    if (next != chosen_) since_shift_ = 0;
    return chosen_ = next;
  }

  void move_lever(Gear wanted, double dt) noexcept {
    const bool slows_to_idle = (acceleration_ahead_ < 0 && engine_speed_ < slip_to_) || wants_to_stand();
    const bool down = wanted != gear_ || gear_ != gear_in_ ||
                      (shifts_ == Shifts::by_schedule ? scheduled_open_ : slows_to_idle);
    pedal_ = std::clamp(pedal_ + (down ? dt / press_time_ : -dt / release_time_), 0.0, 1.0);
    if (pedal_ >= 1) gear_ = wanted;
    const double closable = (engine_speed_ - slip_from_) / std::max(slip_to_ - slip_from_, models::kLeast);
    clutch_ = std::max(pedal_, 1 - std::clamp(closable, 0.0, 1.0));
    shifting_ = down;
  }

  void drive(double dt) noexcept {
    speed_error_ = reference_ - speed_;
    if (wants_to_stand() && speed_ < 0.3) {  // stands: keep a foot on the brake
      accelerator_ = integral_ = 0;
      brake_ = 0.2;
      return;
    }
    const bool pulls = gear_in_ != Gear::neutral && !shifting_;
    const auto index = static_cast<std::size_t>(std::clamp(static_cast<int>(gear_in_) - 1, 0, kGears - 1));
    const double pull = pulls ? pull_[index] : 0;
    const double coast = pulls ? coast_[index] : 0;
    const double demand =
        acceleration_ahead_ + gain_ * speed_error_ + integral_ + rolling_ + air_ * speed_ * speed_;
    accelerator_ = pulls ? std::clamp((demand + coast) / (pull + coast), 0.0, 1.0) : 0;
    brake_ = std::clamp((-demand - coast) / brake_pull_, 0.0, 1.0);
    const bool in_control = pulls && clutch_ < 0.1 && accelerator_ < 1 && brake_ < 1;
    if (in_control) {  // conditional integration: no winding up while the feet cannot do more
      integral_ = std::clamp(integral_ + gain_ / integral_time_ * dt * speed_error_, -2.0, 2.0);
    }
  }

  double gain_ = 1, integral_time_ = 5, rolling_ = 0.1, air_ = 3.2e-4;
  std::array<double, kGears> pull_{3.3, 2.1, 1.45, 1.1, 0.9};
  std::array<double, kGears> coast_{0.46, 0.30, 0.20, 0.155, 0.12};
  double brake_pull_ = 7.5, press_time_ = 0.1, release_time_ = 0.4, slip_from_ = 70, slip_to_ = 100;
  Shifts shifts_ = Shifts::by_schedule;
  double shift_up_ = 2500 * kRpm, shift_down_ = 1100 * kRpm;
  double reference_ = 0, acceleration_ahead_ = 0;
  Gear scheduled_gear_ = Gear::neutral;
  bool scheduled_open_ = false;
  double speed_ = 0, engine_speed_ = 0;
  Gear gear_in_ = Gear::neutral;
  double accelerator_ = 0, brake_ = 0, clutch_ = 1, speed_error_ = 0;
  Gear gear_ = Gear::neutral;
  double integral_ = 0, pedal_ = 1, since_shift_ = 0;
  Gear chosen_ = Gear::neutral;

  bool shifting_ = false;  // made anew in every step
};
TACTUS_MODEL("driver", Driver, "follows a speed with pedals, clutch and gear lever")

}  // namespace vehicle
