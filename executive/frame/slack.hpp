#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// What work that may wait has cost so far: the longest of late, forgotten by a sixteenth each time.
class SlackCost {
 public:
  SlackCost() = default;
  explicit SlackCost(rtsync::Nanoseconds first) : expected_(first) {}

  rtsync::Nanoseconds expected() const TACTUS_RT { return expected_; }
  void add(rtsync::Nanoseconds took) TACTUS_RT { expected_ = std::max(took, expected_ - expected_ / 16); }

 private:
  friend class Slack;
  rtsync::Nanoseconds expected_{0};
  std::optional<rtsync::TimePoint<rtsync::RigTime>> waits_since_;
};

/// The time between the end of a frame's work and the slot of the next frame: the one budget of all that is
/// done there and may as well be done later.
///
/// Work that is expected not to fit is put off to a later frame, and counted; for kPatience at most, and not
/// at all when it is longer than a whole frame: then it is done, and what it delays is booked as
/// housekeeping.
///
/// Threads  the rig's main thread; deferred(): any.
/// RT       wait-free; reads the rig's clock only when it is asked, and only while the rig is paced.
class Slack {
 public:
  static constexpr rtsync::Nanoseconds kPatience{std::chrono::seconds(1)};

  explicit Slack(rtsync::PacedClock& clock) : clock_(clock) {}

  /// Up to the slot of the next frame, of a rig whose frames are `frame` apart in real time.
  void open(rtsync::TimePoint<rtsync::RigTime> next_slot, rtsync::Nanoseconds frame) TACTUS_RT {
    next_slot_ = next_slot;
    frame_ = frame;
  }
  /// Nothing is waiting: the rig is not in real time, or stands still.
  void open_unlimited() TACTUS_RT { next_slot_.reset(); }

  /// Does `work` now, or puts it off to a later call. True: it is done.
  template <class Work>
  bool spend(SlackCost& cost, Work work) TACTUS_RT {
    if (!next_slot_) {
      work();
      cost.waits_since_.reset();
      return true;
    }
    const rtsync::TimePoint<rtsync::RigTime> begin = clock_.now();
    if (!fits(cost, begin)) {
      if (!cost.waits_since_) cost.waits_since_ = begin;
      deferred_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    work();
    cost.waits_since_.reset();
    cost.add(clock_.now() - begin);
    return true;
  }

  /// How often work was put off by a frame.                                                         @when any
  std::int64_t deferred() const TACTUS_RT { return deferred_.load(std::memory_order_relaxed); }

 private:
  bool fits(const SlackCost& cost, rtsync::TimePoint<rtsync::RigTime> now) const TACTUS_RT {
    const rtsync::Nanoseconds needed = cost.expected_ + cost.expected_ / 4;
    return needed <= *next_slot_ - now || cost.expected_ >= frame_ ||
           (cost.waits_since_ && now - *cost.waits_since_ >= kPatience);
  }

  rtsync::PacedClock& clock_;
  std::optional<rtsync::TimePoint<rtsync::RigTime>> next_slot_;
  rtsync::Nanoseconds frame_{0};
  std::atomic<std::int64_t> deferred_{0};
};

}  // namespace tactus::executive
