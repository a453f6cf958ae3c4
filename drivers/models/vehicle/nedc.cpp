// SPDX-License-Identifier: Apache-2.0
/// The speed the driver has to follow: the New European Driving Cycle (nedc_table.hpp).
///
///     speed(t) = from + (to - from) (t - start) / duration       within the operation of t
///
/// in whole nanoseconds of sim time: nothing is accumulated. After 1180 s: standing, in neutral.
///
/// Units    m/s, m/s^2, s, m.
/// Class    environment.
/// RT       no allocation, no system call; a search over 28 rows.
#include <cstdint>
#include <span>
#include <tactus/model.hpp>

#include "models/check.hpp"
#include "models/vehicle/nedc_table.hpp"

namespace vehicle {

using namespace std::chrono_literals;

enum class Part : std::int32_t { urban, extra_urban, over };

class Nedc : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("preview", preview_, "s", "how far acceleration_ahead looks");
    d.output("speed", speed_, "m/s", "the speed of the cycle now");
    d.output("acceleration", acceleration_, "m/s^2", "slope of the operation now");
    d.output("acceleration_ahead", acceleration_ahead_, "m/s^2", "mean acceleration over the coming preview");
    d.output("gear", gear_, "1", "the gear of the cycle now", kGearLabels);
    d.output("clutch_open", clutch_open_, "1", "the cycle wants the clutch disengaged now");
    d.output("operation", operation_, "1", "number of the operation in its table; 0 after the end");
    d.output("part", part_, "1", "which table",
             {{"urban", Part::urban}, {"extra_urban", Part::extra_urban}, {"over", Part::over}});
    d.output("time_left", time_left_, "s", "until the end of the cycle");
    d.range("preview", 1e-9, 60);
    d.job<&Nedc::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Nedc::step>("step", tactus::JobClass::environment, tactus::every(100ms));
    d.job<&Nedc::take_preview>("take_preview", tactus::JobClass::restart);
  }

  void initialize() {
    take_preview();
    publish(0);
  }

  /// Takes the preview, also after a restart, as a checkpoint may have brought another one.
  void take_preview() {
    models::require_positive("preview", preview_, "s", "0.5 s");
    if (preview_ > 60) models::refuse("preview", preview_, "s", "must not be above 60 s", "0.5 s");
    preview_ns_ = static_cast<std::int64_t>(preview_ * 1e9);
    if (preview_ns_ == 0) models::refuse("preview", preview_, "s", "is below one nanosecond", "0.5 s");
  }

  void step(const tactus::Call& call) { publish(call.sim_time_ns); }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr Operation kOver{0, 1, 0, 0, 0, Gear::neutral, false, "over"};

  struct Moment {
    const Operation* operation;
    std::int64_t into_ns;  // since the operation began
    Part part;
  };

  static Moment moment(std::int64_t ns) noexcept {
    std::span<const Operation> rows{kUrban};
    Part part = Part::urban;
    if (ns >= kNedcSeconds * kSecond) return {&kOver, 0, Part::over};
    if (ns >= kUrbanRepeats * kUrbanSeconds * kSecond) {
      ns -= kUrbanRepeats * kUrbanSeconds * kSecond;
      rows = kExtraUrban;
      part = Part::extra_urban;
    } else {
      ns %= kUrbanSeconds * kSecond;
    }
    for (const Operation& o : rows) {
      if (ns < o.duration * kSecond) return {&o, ns, part};
      ns -= o.duration * kSecond;
    }
    return {&kOver, 0, Part::over};
  }

  static double speed_at(const Moment& m) noexcept {
    const Operation& o = *m.operation;
    const double share = static_cast<double>(m.into_ns) / static_cast<double>(o.duration * kSecond);
    return (o.from + (o.to - o.from) * share) / 3.6;
  }

  void publish(std::int64_t ns) noexcept {
    const Moment now = moment(ns);
    const Operation& o = *now.operation;
    speed_ = speed_at(now);
    acceleration_ = (o.to - o.from) / 3.6 / o.duration;
    acceleration_ahead_ = (speed_at(moment(ns + preview_ns_)) - speed_) / preview_;
    gear_ = o.gear;
    clutch_open_ = o.clutch_open;
    operation_ = o.number;
    part_ = now.part;
    time_left_ = now.part == Part::over ? 0 : 1e-9 * static_cast<double>(kNedcSeconds * kSecond - ns);
  }

  double preview_ = 0.5;
  double speed_ = 0, acceleration_ = 0, acceleration_ahead_ = 0;
  Gear gear_ = Gear::neutral;
  bool clutch_open_ = false;
  std::int32_t operation_ = 1;
  Part part_ = Part::urban;
  double time_left_ = kNedcSeconds;

  std::int64_t preview_ns_ = 1;  // preview_ in whole nanoseconds, so no state
};
TACTUS_MODEL("nedc", Nedc, "speed and gears of the New European Driving Cycle")

}  // namespace vehicle
