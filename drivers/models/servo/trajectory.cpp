// SPDX-License-Identifier: Apache-2.0
/// A reference that moves between two positions for ever: there, dwell, back, dwell.
///
/// Every value is a closed form of the sim time (s_curve.hpp): frame 10^9 is as exact as frame 1. One round
/// trip is rounded up to whole nanoseconds, so that its phase is an integer remainder.
///
/// Units    rad, rad/s, rad/s^2, rad/s^3, s.
/// Class    environment: the reference of t is there before any sensor or controller of t runs.
/// RT       no allocation, no system call.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/servo/s_curve.hpp"

namespace servo {

using namespace std::chrono_literals;

class Trajectory : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("from", from_, "rad", "where it starts");
    d.parameter("to", to_, "rad", "where it turns round");
    d.parameter("max_speed", max_speed_, "rad/s", "speed limit");
    d.parameter("max_acceleration", max_acceleration_, "rad/s^2", "acceleration limit");
    d.parameter("max_jerk", max_jerk_, "rad/s^3", "limit of the change of acceleration");
    d.parameter("dwell", dwell_, "s", "rest at either end");
    d.parameter("delay", delay_, "s", "rest before the first move");
    d.output("position", position_, "rad", "position reference");
    d.output("speed", speed_, "rad/s", "its derivative");
    d.output("acceleration", acceleration_, "rad/s^2", "its second derivative");
    d.output("move_time", move_time_, "s", "duration of one move, without the dwell");
    models::stay_above_zero(d, {"max_speed", "max_acceleration", "max_jerk"});
    models::stay_not_below_zero(d, {"dwell", "delay"});
    d.job<&Trajectory::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Trajectory::step>("step", tactus::JobClass::environment, tactus::every(1ms));
    d.job<&Trajectory::plan>("plan", tactus::JobClass::restart);
  }

  void initialize() {
    plan();
    publish(0);
  }

  /// The curve, from the parameters: also after a restart, as a checkpoint may have brought others.
  void plan() {
    models::require_finite("from", from_, "rad", "0 rad");
    models::require_finite("to", to_, "rad", "20 rad");
    models::require_positive("max_speed", max_speed_, "rad/s", "100 rad/s");
    models::require_positive("max_acceleration", max_acceleration_, "rad/s^2", "1000 rad/s^2");
    models::require_positive("max_jerk", max_jerk_, "rad/s^3", "20000 rad/s^3");
    models::require_not_negative("dwell", dwell_, "s", "150 ms");
    models::require_not_negative("delay", delay_, "s", "100 ms");
    curve_ = SCurve::plan(std::abs(to_ - from_), max_speed_, max_acceleration_, max_jerk_);
    move_time_ = curve_.duration();
    if (!(move_time_ + dwell_ < 1e9)) {  // nanoseconds of a round trip must fit an integer
      models::refuse("dwell", dwell_, "s", "makes a round trip of more than 60 years", "150 ms");
    }
    half_ns_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((move_time_ + dwell_) * 1e9)));
    delay_ns_ = static_cast<std::int64_t>(std::llround(delay_ * 1e9));
  }

  void step(const tactus::Call& call) { publish(call.sim_time_ns); }

 private:
  void publish(std::int64_t now_ns) {
    const std::int64_t moving_ns = std::max<std::int64_t>(0, now_ns - delay_ns_);
    const bool back = moving_ns / half_ns_ % 2 == 1;
    const Motion m = curve_.at(1e-9 * static_cast<double>(moving_ns % half_ns_));
    const double sign = (to_ >= from_) != back ? 1 : -1;
    position_ = (back ? to_ : from_) + sign * m.position;
    speed_ = sign * m.speed;
    acceleration_ = sign * m.acceleration;
  }

  double from_ = 0, to_ = 20, max_speed_ = 100, max_acceleration_ = 1000, max_jerk_ = 20000;
  double dwell_ = 0.15, delay_ = 0.1;
  double position_ = 0, speed_ = 0, acceleration_ = 0, move_time_ = 0;

  // Made of the parameters, so no state:
  SCurve curve_;
  std::int64_t half_ns_ = 1;  // one move and its dwell
  std::int64_t delay_ns_ = 0;
};
TACTUS_MODEL("trajectory", Trajectory, "moves back and forth between two positions, jerk limited")

}  // namespace servo
