// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <csignal>

#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Tells a wish to end that was sent twice from a second wish, which ends at once: timeout(1) and others send a signal to
/// a process and then to its group.
///
/// Threads  one at a time.
class RepeatedSignal {
 public:
  static constexpr Nanoseconds kAtOnce{20'000'000};  ///< longest time between two that are one

  /// Returns whether this is the signal of the last call, from the same process and within kAtOnce. `code`: si_code; a
  /// signal of the kernel, as Ctrl-C on a terminal, is none. @when any
  bool is(int signal, int code, pid_t sender, Nanoseconds now = kernel_time(CLOCK_MONOTONIC)) {
    const bool repeated = code == SI_USER && signal == signal_ && sender == sender_ && now - at_ < kAtOnce;
    signal_ = signal;
    sender_ = sender;
    at_ = now;
    return repeated;
  }

 private:
  int signal_ = 0;
  pid_t sender_ = 0;
  Nanoseconds at_{};
};

}  // namespace tactus::rtsync
