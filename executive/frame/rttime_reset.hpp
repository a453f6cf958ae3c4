// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Decides when a real-time thread has to sleep for a moment although it never waits: at least once a second,
/// so that the kernel (RLIMIT_RTTIME) treats only a real runaway as one.
///
/// Threads  one.
/// RT       everything.
class RttimeReset {
 public:
  static constexpr std::chrono::seconds kMostAwake{1};

  /// A frame has ended now; `slept`: with a sleep. True: a sleep is due, and counted as done.
  bool is_due(rtsync::TimePoint<rtsync::MonotonicTime> now, bool slept) TACTUS_RT {
    const bool due = last_sleep_ && !slept && now - *last_sleep_ > kMostAwake;
    if (due || slept || !last_sleep_) last_sleep_ = now;
    return due;
  }

 private:
  std::optional<rtsync::TimePoint<rtsync::MonotonicTime>> last_sleep_;
};

}  // namespace tactus::executive
