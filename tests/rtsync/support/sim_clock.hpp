// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The test owns the clock: time passes when the test says so, and a sleeper jumps instead of sleeping.
#include <cstdint>

#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync {

/// A clock that stands still until advance(); or each reading takes a while, so that a spin comes to an end.
///
/// Threads  one.
class SimClock final : public PacedClock {
 public:
  static constexpr TimePoint<RigTime> kStart{Nanoseconds{1'000'000'000'000}};

  explicit SimClock(TimePoint<RigTime> start = kStart) : now_(start) {}

  TimePoint<RigTime> now() TACTUS_RT override {
    ++readings_;
    const TimePoint<RigTime> at = now_;
    now_ += reading_takes_;
    return at;
  }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    return TimePoint<MonotonicTime>{t.time_since_epoch()};
  }
  const char* name() const TACTUS_RT override { return "sim"; }

  void advance(Nanoseconds by) TACTUS_RT { now_ += by; }
  /// Jumps to t; never back.
  void advance_to(TimePoint<RigTime> t) TACTUS_RT {
    if (t > now_) now_ = t;
  }
  void reading_takes(Nanoseconds time) TACTUS_RT { reading_takes_ = time; }
  std::int64_t readings() const TACTUS_RT { return readings_; }
  /// The time, without the cost of a reading.
  TimePoint<RigTime> peek() const TACTUS_RT { return now_; }

 private:
  TimePoint<RigTime> now_;
  std::int64_t readings_ = 0;
  Nanoseconds reading_takes_{0};
};

/// A sleeper that jumps to the slot plus a lateness; or the wait is cut short, or fails.
///
/// Threads  one.
class SimSleeper final : public Sleeper {
 public:
  explicit SimSleeper(SimClock& clock) : Sleeper(clock), sim_(clock) {}

  void prepare(Period period) override {
    prepared_for_ = period;
    ++prepared_;
  }
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override {
    ++waits_;
    last_slot_ = slot;
    if (interrupted()) return {WaitStatus::interrupted, sim_.peek()};
    if (lost_) return {WaitStatus::source_lost, sim_.peek()};
    if (slot > sim_.peek()) sim_.advance_to(slot + late_);
    late_ = keep_late_;
    return {WaitStatus::reached, sim_.peek()};
  }
  const char* name() const TACTUS_RT override { return "sim"; }

  /// The next wait alone ends this long after its slot.
  void next_wake_late(Nanoseconds by) TACTUS_RT { late_ = by; }
  /// This and every later wait does.
  void every_wake_late(Nanoseconds by) TACTUS_RT { late_ = keep_late_ = by; }
  void lose_source() TACTUS_RT { lost_ = true; }

  std::int64_t waits() const TACTUS_RT { return waits_; }
  TimePoint<RigTime> last_slot() const TACTUS_RT { return last_slot_; }
  std::int64_t prepared() const TACTUS_RT { return prepared_; }
  Period prepared_for() const TACTUS_RT { return prepared_for_; }

 private:
  SimClock& sim_;
  Nanoseconds late_{0};
  Nanoseconds keep_late_{0};
  bool lost_ = false;
  std::int64_t waits_ = 0;
  std::int64_t prepared_ = 0;
  TimePoint<RigTime> last_slot_{};
  Period prepared_for_;
};

}  // namespace tactus::rtsync
