// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Cost of work that may wait: the longest of late, forgotten by a sixteenth each time it is done and by a
/// thousandth each time it is deferred, but never below the least that it has cost. So one time that the
/// machine took the CPU away does not stop it for good, and what can never fit is never tried.
class SlackCost {
 public:
  SlackCost() = default;
  explicit SlackCost(rtsync::Nanoseconds first) : expected_(first), least_(first) {}

  rtsync::Nanoseconds expected() const TACTUS_RT { return expected_; }
  void add(rtsync::Nanoseconds took) TACTUS_RT {
    least_ = least_ ? std::min(*least_, took) : took;
    expected_ = std::max(took, expected_ - expected_ / 16);
  }
  void put_off() TACTUS_RT {
    expected_ = std::max(expected_ - expected_ / 1024, least_.value_or(rtsync::Nanoseconds{0}));
  }

 private:
  rtsync::Nanoseconds expected_{0};
  std::optional<rtsync::Nanoseconds> least_;
};

/// The time between the end of a frame's work and the slot of the next frame: the one budget of all that is
/// done there and may as well be done later.
///
/// Work that is expected not to fit is put off to a later frame, and counted. If the machine takes the CPU
/// away meanwhile, what that delays is booked as housekeeping.
///
/// Threads  the rig's main thread; deferred(): any.
/// RT       wait-free; reads the rig's clock only when it is asked, and only while the rig is paced.
class Slack {
 public:
  explicit Slack(rtsync::PacedClock& clock) : clock_(clock) {}

  /// Up to the slot of the next frame.
  void open(rtsync::TimePoint<rtsync::RigTime> next_slot) TACTUS_RT { next_slot_ = next_slot; }
  /// Opens unlimited slack: the rig is not in real time, or is paused.
  void open_unlimited() TACTUS_RT { next_slot_.reset(); }

  /// Time that is left of the slack; nothing: it is unlimited.
  std::optional<rtsync::Nanoseconds> left() const TACTUS_RT {
    if (!next_slot_) return std::nullopt;
    return *next_slot_ - clock_.now();
  }
  /// Returns true if work of that cost fits now.
  bool fits(const SlackCost& cost) const TACTUS_RT {
    return !next_slot_ || fits(cost, *next_slot_ - clock_.now());
  }

  /// Does `work` now, or puts it off to a later call. True: it is done.
  template <class Work>
  bool spend(SlackCost& cost, Work work) TACTUS_RT {
    if (!next_slot_) {
      work();
      return true;
    }
    const rtsync::TimePoint<rtsync::RigTime> begin = clock_.now();
    if (!fits(cost, *next_slot_ - begin)) {
      cost.put_off();
      deferred_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    work();
    cost.add(clock_.now() - begin);
    return true;
  }

  /// Number of times that work was deferred by a frame.                                             @when any
  std::int64_t deferred() const TACTUS_RT { return deferred_.load(std::memory_order_relaxed); }

 private:
  static bool fits(const SlackCost& cost, rtsync::Nanoseconds left) TACTUS_RT {
    return cost.expected() + cost.expected() / 4 <= left;
  }

  rtsync::PacedClock& clock_;
  std::optional<rtsync::TimePoint<rtsync::RigTime>> next_slot_;
  std::atomic<std::int64_t> deferred_{0};
};

}  // namespace tactus::executive
