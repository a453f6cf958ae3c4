// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Longest spin of an adaptive wait. To sleep and be woken costs 3 to 10 us of the kernel's time and as much
/// again on a CPU that fell asleep meanwhile: to spin for about as long as that never costs more than twice
/// what the better choice would have.
constexpr Nanoseconds kSpinBeforeSleep{20'000};

/// Duration for which the next wait may spin before it sleeps, learnt from earlier waits. A spin that did not
/// pay, because the awaited thread works longer or has been preempted, halves the time, down to none; a spin
/// that paid restores it. Each 128th wait is tried with the whole time, whatever was learnt.
///
/// Threads  one.
/// RT       everything.
class SpinBudget {
 public:
  explicit SpinBudget(Nanoseconds whole = kSpinBeforeSleep) : whole_(whole), next_(whole) {}

  /// Duration of the spin of the next wait; 0: it sleeps at once.
  Nanoseconds take() TACTUS_RT { return ++waits_ % kTrial == 0 ? whole_ : next_; }
  void learn(bool paid) TACTUS_RT {
    next_ = paid ? whole_ : next_ / 2;
    if (next_ < kLeast) next_ = Nanoseconds{0};
  }

 private:
  static constexpr std::uint32_t kTrial = 128;
  static constexpr Nanoseconds kLeast{1'000};  // looks take as long

  Nanoseconds whole_;
  Nanoseconds next_;
  std::uint32_t waits_ = 0;
};

}  // namespace tactus::rtsync
