// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

inline timespec to_timespec(Nanoseconds time) TACTUS_RT {
  return {time.count() / 1'000'000'000, time.count() % 1'000'000'000};
}

/// Reads a clock of the kernel that is always there: CLOCK_MONOTONIC, CLOCK_REALTIME.               @when any
inline Nanoseconds kernel_time(clockid_t clock) TACTUS_RT {
  timespec t{};
  (void)::clock_gettime(clock, &t);  // cannot fail: the clock exists on every Linux and &t is ours
  return Nanoseconds{t.tv_sec * 1'000'000'000 + t.tv_nsec};
}

/// Reads CLOCK_MONOTONIC.                                                                          @when any
inline TimePoint<MonotonicTime> monotonic_now() TACTUS_RT {
  return TimePoint<MonotonicTime>{kernel_time(CLOCK_MONOTONIC)};
}

}  // namespace tactus::rtsync
