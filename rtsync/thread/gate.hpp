// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "rtsync/rt.hpp"
#include "rtsync/thread/spin_budget.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

enum class WaitMode {
  spin,      ///< reads until it is there: the fastest, and a CPU of its own for each waiter
  futex,     ///< sleeps in the kernel
  adaptive,  ///< spins for a bounded time, then sleeps; for less and less time where that leads to nothing
};
/// "spin".
const char* name_of(WaitMode mode) TACTUS_RT;

/// No deadline at all.
constexpr TimePoint<MonotonicTime> kForever = TimePoint<MonotonicTime>::max();

/// A number that one real-time thread publishes and others wait for.
///
///     gate.open(7);                                       // here
///     gate.wait(7, WaitMode::adaptive, deadline, &gone);  // there
///
/// The number counts up and may wrap: a is behind b when b - a < 2^31. What was written before open() is seen
/// after wait() or value(). Waking makes a system call only when a thread sleeps: a thread that is about to
/// sleep announces that before it looks at the number for the last time, and a publisher looks for sleepers
/// after publishing.
///
/// Threads any number of waiters; open() by one thread at a time. It must outlive every call. RT no lock, no
/// allocation. open() and wake_all(): at most one system call, none when no thread sleeps.
///          wait(): none when the number is there already, or while it spins; the sleep otherwise. A thread
///          of SCHED_FIFO that spins keeps its CPU from the one it waits for: give them a CPU each.
class alignas(64) Gate {
 public:
  enum class Result {
    open,      ///< the number is there; wins over the other two
    given_up,  ///< *given_up was true
    timeout,   ///< the deadline has passed
  };

  explicit Gate(std::uint32_t value = 0) : value_(value) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Publishes, and wakes the sleeping threads.                                                     @when rt
  void open(std::uint32_t value) TACTUS_RT;
  std::uint32_t value() const TACTUS_RT { return value_.load(std::memory_order_acquire); }
  bool reached(std::uint32_t wanted) const TACTUS_RT {
    return static_cast<std::int32_t>(value() - wanted) >= 0;
  }
  /// Waits until the number is `wanted` or has passed it, `*given_up` is true (may be null; its writer calls
  /// wake_all() then) or the deadline has passed. `spin`: how long adaptive spins, and what it learns;
  /// without one kSpinBeforeSleep. @when rt
  Result wait(std::uint32_t wanted, WaitMode mode, TimePoint<MonotonicTime> deadline = kForever,
              const std::atomic<bool>* given_up = nullptr, SpinBudget* spin = nullptr) TACTUS_RT;
  /// The first part of an adaptive wait, which teaches the budget; but not beyond the deadline.
  Result spin_first(std::uint32_t wanted, SpinBudget& budget, TimePoint<MonotonicTime> deadline,
                    const std::atomic<bool>* given_up) const TACTUS_RT;
  /// Spins for `spin` and a few looks, but not beyond the deadline.
  Result spin(std::uint32_t wanted, Nanoseconds spin, TimePoint<MonotonicTime> deadline = kForever,
              const std::atomic<bool>* given_up = nullptr) const TACTUS_RT;
  /// Lets sleepers look at their given_up.                                                          @when any
  void wake_all() TACTUS_RT;

 private:
  Result sleep_until(std::uint32_t wanted, TimePoint<MonotonicTime> deadline,
                     const std::atomic<bool>* given_up) TACTUS_RT;
  void wake_sleepers() TACTUS_RT;

  std::atomic<std::uint32_t> value_;
  // Sleepers sleep on this one and not on the value: wake_all() can change it, so that a sleeper that has
  // looked at its given_up just before cannot miss the call.
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace tactus::rtsync
