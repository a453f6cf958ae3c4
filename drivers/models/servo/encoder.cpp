// SPDX-License-Identifier: Apache-2.0
/// An incremental encoder: four counts per line, and the speed a counter card makes of them.
///
///     q      = 2 pi / (4 lines)                        one count
///     count  = floor(angle / q)                        so 0 <= angle - count q < q
///     raw    = (count - count before) q / cycle        a staircase of q / cycle
///     speed += (raw - speed) (1 - exp(-cycle / filter))
///
/// Units    rad, rad/s, s; counts are pure numbers.
/// Delay    the speed is cycle / 2 + cycle / (exp(cycle / filter) - 1) old: the middle of the last cycle, and
///          what the low-pass adds; 1.08 ms for 1 ms and 1 ms, cycle / 2 without a filter.
/// RT       no allocation, no system call.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tactus/model.hpp>

#include "models/check.hpp"

namespace servo {

using namespace std::chrono_literals;

class Encoder : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("lines", lines_, "1", "lines per revolution; each gives four counts");
    d.parameter("filter", filter_, "s", "time constant of the low-pass of the speed; 0: none");
    d.input("shaft_angle", shaft_angle_, "rad", "the angle to measure");
    d.output("count", count_, "1", "counts since angle 0, with its sign");
    d.output("angle", angle_, "rad", "the count as an angle");
    d.output("speed", speed_, "rad/s", "speed made of the last two counts");
    d.state("count_before", before_, "1", "count of the last sample");
    d.state("started", started_, "1", "a first sample was taken");
    models::stay_not_below_zero(d, {"filter"});
    d.range("lines", 1, 1e6);
    d.job<&Encoder::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Encoder::sample>("sample", tactus::JobClass::sensor, tactus::every(1ms));
    d.job<&Encoder::forget_weight>("forget_weight", tactus::JobClass::restart);
  }

  void initialize() {
    models::require_positive("lines", lines_, "lines", "5000");
    models::require_not_negative("filter", filter_, "s", "1 ms");
    count_ = before_ = 0;
    angle_ = speed_ = 0;
    started_ = false;
    forget_weight();
  }

  /// A new weight in the next sample: a checkpoint may have brought another filter.
  void forget_weight() { weight_dt_ = 0; }

  void sample(const tactus::Call& call) {
    if (call.dt != weight_dt_) {
      weight_ = filter_ > 0 ? -std::expm1(-call.dt / filter_) : 1;
      weight_dt_ = call.dt;
    }
    const double counts_per_turn = 4.0 * lines_;
    count_ = static_cast<std::int64_t>(std::floor(shaft_angle_ / kTurn * counts_per_turn));
    angle_ = static_cast<double>(count_) / counts_per_turn * kTurn;
    if (started_) {
      const double raw = static_cast<double>(count_ - before_) / counts_per_turn * kTurn / call.dt;
      speed_ += weight_ * (raw - speed_);
    }
    before_ = count_;
    started_ = true;
  }

 private:
  static constexpr double kTurn = 2 * std::numbers::pi;

  std::int32_t lines_ = 5000;
  double filter_ = 1e-3;
  double shaft_angle_ = 0;
  std::int64_t count_ = 0;
  double angle_ = 0, speed_ = 0;
  std::int64_t before_ = 0;
  bool started_ = false;

  // Made of the parameters and the cycle, so no state:
  double weight_ = 1, weight_dt_ = 0;  // of one sample in the low-pass, and the cycle it was made for
};
TACTUS_MODEL("encoder", Encoder, "incremental encoder with quantization and a speed estimate")

}  // namespace servo
