// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>

#include "executive/frame/frame_part.hpp"
#include "executive/frame/job_clock.hpp"

namespace tactus::executive {

/// Times of the parts of a rig, to find the one that took longest of the work that no job does: in a frame,
/// and after it. One clock read for each hook of a part.
///
/// Threads  the rig's main thread.
/// RT       everything but the constructor.
class PartTimes {
 public:
  struct Longest {
    const char* name = nullptr;  ///< a text that stays; nullptr: none was measured
    std::uint64_t ticks = 0;
  };

  /// `on`: something is measured at all.
  PartTimes(const JobClock& clock, bool on) : clock_(clock), on_(on) {}

  /// Begins new measurements: first after a frame, then, from begin_frame() on, in the next one.
  void begin_behind() TACTUS_RT {
    in_frame_ = behind_ = {};
    now_ = &behind_;
  }
  void begin_frame() TACTUS_RT { now_ = &in_frame_; }
  /// Something that is no part has passed.
  void skip() TACTUS_RT {
    if (on_) last_ = clock_.ticks();
  }
  void passed(const FramePart& part) TACTUS_RT {
    if (took_longest()) now_->name = part.name();
  }
  /// The executive's own work.
  void passed(const char* name) TACTUS_RT {
    if (took_longest()) now_->name = name;
  }

  const Longest& in_frame() const TACTUS_RT { return in_frame_; }
  const Longest& behind() const TACTUS_RT { return behind_; }

 private:
  /// Returns true if the time since the last look was the longest so far.
  bool took_longest() TACTUS_RT {
    if (!on_) return false;
    const std::uint64_t before = std::exchange(last_, clock_.ticks());
    if (last_ - before <= now_->ticks) return false;
    now_->ticks = last_ - before;
    return true;
  }
  const JobClock& clock_;
  const bool on_;
  std::uint64_t last_ = 0;
  Longest in_frame_;
  Longest behind_;
  Longest* now_ = &in_frame_;
};

}  // namespace tactus::executive
