// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/job_clock.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/histogram.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Knows how long it takes to find out why a frame was late. Where that makes the next frame begin late, the late frame
/// has done so, and there is nothing to look at: a look would make the frame after it late, too.
///
/// Threads  the rig's main thread.
/// RT       yes.
class Explanations {
 public:
  explicit Explanations(const JobClock& clock) : clock_(clock) {}

  void begin() TACTUS_RT { began_ = clock_.ticks(); }
  /// The frame is explained, as the frame with that number since the start.
  void end(std::uint64_t frame) TACTUS_RT {
    last_ = clock_.to_time(clock_.ticks() - began_);
    took_.add(last_);
    frame_ = frame;
  }
  /// Returns true if the frame before was explained, and had most of the work after it.
  bool had_most(std::uint64_t frame, rtsync::Nanoseconds work_behind) const TACTUS_RT {
    return frame_ + 1 == frame && last_ * 4 >= work_behind * 3;
  }
  /// Returns true if had_most() is and the frame took as long as others do. A longer one may have been held
  /// up, and is examined.
  bool fill(std::uint64_t frame, rtsync::Nanoseconds work_behind) TACTUS_RT {
    constexpr std::uint64_t kEnough = 2;
    return had_most(frame, work_behind) && took_.count() >= kEnough && last_ <= took_.median() * 3;
  }

 private:
  const JobClock& clock_;
  rtsync::JobHistogram took_;
  std::uint64_t began_ = 0;
  std::uint64_t frame_ = UINT64_MAX - 1;
  rtsync::Nanoseconds last_{0};
};

}  // namespace tactus::executive
