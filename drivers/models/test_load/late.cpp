// SPDX-License-Identifier: Apache-2.0
/// A model that is late on purpose: it burns time in chosen frames, so that overrun policies can be watched.
///
/// Late frames are from_frame, from_frame + every, ... below from_frame + for_frames. In each the job reads
/// CLOCK_MONOTONIC until `busy` has passed: real time, whatever the speed of the CPU.
///
/// Units    s; frames are counted from 0.
/// RT       a promise kept in form only: no lock, no allocation, and as late as you ask.
#include <time.h>

#include <cstdint>
#include <stdexcept>
#include <tactus/model.hpp>

#include "models/check.hpp"

namespace test_load {

class Late : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("busy", busy_, "s", "time to burn in a late frame");
    d.parameter("every", every_, "1", "every nth frame is late; 1: each");
    d.parameter("from_frame", from_frame_, "1", "the first late frame");
    d.parameter("for_frames", for_frames_, "1", "number of frames that it lasts; 0: for ever");
    d.parameter("throws_at", throws_at_, "s", "throws in the first frame at or after this sim time");
    d.parameter("fails_at", fails_at_, "s", "returns non-zero in the first frame at or after this sim time");
    d.output("late_frames", late_frames_, "1", "late frames so far");
    d.output("burnt", burnt_, "s", "time burnt in the last frame; 0 in a good one");
    models::stay_not_below_zero(d, {"busy", "from_frame", "for_frames"});
    d.range("every", 1, models::kMost);
    d.job<&Late::initialize>("initialize", tactus::JobClass::initialization);
    d.job<&Late::step>("step", tactus::JobClass::scheduled);
  }

  void initialize() {
    models::require_not_negative("busy", busy_, "s", "1.5 ms");
    models::require_positive("every", static_cast<double>(every_), "frames", "10");
    models::require_not_negative("from_frame", static_cast<double>(from_frame_), "frames", "100");
    models::require_not_negative("for_frames", static_cast<double>(for_frames_), "frames", "0");
    late_frames_ = 0;
    burnt_ = 0;
  }

  int step(const tactus::Call& call) {
    const double now = 1e-9 * static_cast<double>(call.sim_time_ns);
    if (now >= throws_at_) throw std::runtime_error("throws_at is reached: thrown on purpose");
    if (now >= fails_at_) {
      fail("fails_at is reached: failed on purpose");
      return 1;
    }
    burnt_ = 0;
    if (!is_late(call.frame)) return 0;
    ++late_frames_;
    const double start = monotonic();
    while (burnt_ < busy_) burnt_ = monotonic() - start;
    return 0;
  }

 private:
  bool is_late(std::int64_t frame) const noexcept {
    const std::int64_t since = frame - from_frame_;
    return since >= 0 && (for_frames_ == 0 || since < for_frames_) && since % every_ == 0;
  }

  static double monotonic() noexcept {  // CLOCK_MONOTONIC is always there; the call cannot fail
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  static constexpr double kNever = 1e37;

  double busy_ = 1.5e-3;
  std::int64_t every_ = 1, from_frame_ = 0, for_frames_ = 0;
  double throws_at_ = kNever, fails_at_ = kNever;
  std::int64_t late_frames_ = 0;
  double burnt_ = 0;
};
TACTUS_MODEL("late", Late, "burns time in chosen frames, to show overrun policies")

}  // namespace test_load
