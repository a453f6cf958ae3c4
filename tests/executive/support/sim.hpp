// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The test owns the clock: time passes when a job or the sleeper says so, and a sleeper jumps instead of
/// sleeping.
#include <atomic>
#include <cstdint>
#include <functional>
#include <system_error>
#include <utility>

#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

using rtsync::Nanoseconds;
using rtsync::RigTime;
using rtsync::TimePoint;

/// Stands still until advance(). Threads: any.
class SimClock final : public rtsync::PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override {
    return TimePoint<RigTime>{Nanoseconds{now_.load(std::memory_order_relaxed)}};
  }
  TimePoint<rtsync::MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    return TimePoint<rtsync::MonotonicTime>{t.time_since_epoch()};
  }
  const char* name() const TACTUS_RT override { return "sim"; }

  /// For the job times: any thread may read.
  std::function<std::int64_t()> reader() const {
    return [this] { return now_.load(std::memory_order_relaxed); };
  }
  void advance(Nanoseconds by) TACTUS_RT { now_.fetch_add(by.count(), std::memory_order_relaxed); }
  void advance_to(TimePoint<RigTime> t) TACTUS_RT {
    if (t > now()) now_.store(t.time_since_epoch().count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> now_{1'000'000'000'000};
};

/// Jumps to the slot, late if told so. `on_wait` is called with the number of the wait, from 0, before it.
class SimSleeper final : public rtsync::Sleeper {
 public:
  explicit SimSleeper(SimClock& clock) : Sleeper(clock), sim_(clock) {}

  void prepare(rtsync::Period) override {
    if (refuses) throw std::system_error(std::make_error_code(std::errc::too_many_files_open), "no timer");
  }
  rtsync::WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override {
    if (on_wait) on_wait(waits++);
    if (interrupted()) return {rtsync::WaitStatus::interrupted, sim_.now()};
    if (lost) return {rtsync::WaitStatus::source_lost, sim_.now()};
    if (fault != rtsync::WaitStatus::reached)
      return {std::exchange(fault, rtsync::WaitStatus::reached), sim_.now()};
    if (slot > sim_.now()) sim_.advance_to(slot + late);
    late = Nanoseconds{0};
    return {rtsync::WaitStatus::reached, sim_.now()};
  }
  const char* name() const TACTUS_RT override { return "sim"; }

  std::function<void(int)> on_wait;
  int waits = 0;
  Nanoseconds late{0};  ///< of the next wait alone
  bool lost = false;
  rtsync::WaitStatus fault = rtsync::WaitStatus::reached;  ///< of the next wait alone
  bool refuses = false;

 private:
  SimClock& sim_;
};

}  // namespace tactus::executive::test
