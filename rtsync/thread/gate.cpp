// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/gate.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <optional>

#include "rtsync/clock/clock.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::rtsync {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel reads and compares these 32 bits itself");

// A read of the clock costs as much as some turns; 32 of them take 0.3 us, or 1.5 us where pause is a long
// one.
constexpr int kTurnsBetweenClockReads = 32;

void pause_cpu() TACTUS_RT {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

/// Sleeps while `word` is `seen`. False: the deadline has passed.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                TimePoint<MonotonicTime> deadline) TACTUS_RT {
  const timespec until = to_timespec(std::max(Nanoseconds{0}, deadline.time_since_epoch()));
  // The deadline of the _BITSET form is absolute, and on CLOCK_MONOTONIC.
  const long result = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, seen,
                                deadline == kForever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  return result == 0 || errno != ETIMEDOUT;
}

bool is_true(const std::atomic<bool>* flag) TACTUS_RT {
  return flag != nullptr && flag->load(std::memory_order_acquire);
}

}  // namespace

const char* name_of(WaitMode mode) TACTUS_RT {
  constexpr Worded<WaitMode> kWords[] = {{WaitMode::spin, "spin"}, {WaitMode::futex, "futex"}};
  return word_of(kWords, mode, "adaptive");
}

// All of open(), wake_all() and sleep_until() is sequentially consistent: each writes one thing and then
// reads what the other one writes, and at least one of two must see the other.
void Gate::open(std::uint32_t value) TACTUS_RT {
  value_.store(value);
  if (sleepers_.load() == 0) return;
  calls_.fetch_add(1);
  wake_sleepers();
}

void Gate::wake_all() TACTUS_RT {
  calls_.fetch_add(1);
  if (sleepers_.load() != 0) wake_sleepers();
}

void Gate::wake_sleepers() TACTUS_RT {
  // Cannot fail: the address is ours.
  (void)::syscall(SYS_futex, &calls_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
}

Gate::Result Gate::wait(std::uint32_t wanted, WaitMode mode, TimePoint<MonotonicTime> deadline,
                        const std::atomic<bool>* given_up, SpinBudget* spin) TACTUS_RT {
  if (reached(wanted)) return Result::open;
  if (mode == WaitMode::spin) return this->spin(wanted, Nanoseconds::max(), deadline, given_up);
  if (mode == WaitMode::adaptive) {
    SpinBudget whole;
    const Result result = spin_first(wanted, spin == nullptr ? whole : *spin, deadline, given_up);
    if (result != Result::timeout) return result;
  }
  return sleep_until(wanted, deadline, given_up);
}

Gate::Result Gate::spin_first(std::uint32_t wanted, SpinBudget& budget, TimePoint<MonotonicTime> deadline,
                              const std::atomic<bool>* given_up) const TACTUS_RT {
  const Nanoseconds time = budget.take();
  if (time == Nanoseconds{0}) return Result::timeout;
  const Result result = spin(wanted, time, deadline, given_up);
  if (result != Result::given_up) budget.learn(result == Result::open);
  return result;
}

Gate::Result Gate::spin(std::uint32_t wanted, Nanoseconds spin, TimePoint<MonotonicTime> deadline,
                        const std::atomic<bool>* given_up) const TACTUS_RT {
  std::optional<TimePoint<MonotonicTime>> end;  // known at the first read of the clock
  if (spin == Nanoseconds::max()) end = deadline;
  for (int turn = 1;; ++turn) {
    if (reached(wanted)) return Result::open;
    // Once more: who gives up may have opened it just before.
    if (is_true(given_up)) return reached(wanted) ? Result::open : Result::given_up;
    pause_cpu();
    if (turn < kTurnsBetweenClockReads || end == kForever) continue;
    turn = 0;
    const TimePoint<MonotonicTime> now = monotonic_now();
    if (!end) end = std::min(deadline, now + spin);
    if (now >= *end) return reached(wanted) ? Result::open : Result::timeout;
  }
}

Gate::Result Gate::sleep_until(std::uint32_t wanted, TimePoint<MonotonicTime> deadline,
                               const std::atomic<bool>* given_up) TACTUS_RT {
  sleepers_.fetch_add(1);
  Result result = Result::timeout;
  for (bool in_time = true;;) {
    const std::uint32_t calls = calls_.load();  // before the last look at everything a call is made for
    if (static_cast<std::int32_t>(value_.load() - wanted) >= 0) {
      result = Result::open;
      break;
    }
    if (is_true(given_up)) {
      result = reached(wanted) ? Result::open : Result::given_up;
      break;
    }
    if (!in_time) break;
    in_time = futex_wait(calls_, calls, deadline);
  }
  sleepers_.fetch_sub(1);
  return result;
}

}  // namespace tactus::rtsync
