// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/sleeper.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "rtsync/time/histogram.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

// No single sleep is longer, so that interrupt() is noticed; frames of up to 100 ms still sleep in one piece.
constexpr Nanoseconds kLongestSleep{100'000'000};

/// Sleeps until a point of CLOCK_MONOTONIC. A signal is no reason to start early: the point is absolute, so
/// asking again is exact. Returns 0 or an errno value.
int sleep_until(TimePoint<MonotonicTime> time) TACTUS_RT {
  const timespec until = to_timespec(time.time_since_epoch());
  int error = EINTR;
  while (error == EINTR) error = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  return error;
}

/// Sleeps until `slot` of the rig's clock in pieces no longer than kLongestSleep. The clock is read once
/// after each: one that runs at another rate than the kernel's may say that the slot has not quite come.
WaitResult sleep_in_pieces(PacedClock& clock, TimePoint<RigTime> slot, const Sleeper& sleeper) TACTUS_RT {
  TimePoint<RigTime> now = clock.now();
  while (now < slot) {
    if (sleeper.interrupted()) return {WaitStatus::interrupted, now};
    const TimePoint<RigTime> piece = slot - now > kLongestSleep ? now + kLongestSleep : slot;
    const int error = sleep_until(clock.to_monotonic(piece));
    now = clock.now();
    if (error != 0) return {WaitStatus::source_lost, now};
  }
  return {WaitStatus::reached, now};
}

}  // namespace

WaitResult NanosleepSleeper::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  return sleep_in_pieces(clock_, slot, *this);
}

TimerfdSleeper::~TimerfdSleeper() {
  if (fd_ >= 0) ::close(fd_);  // nothing to be done about an error, and nothing depends on it
}

void TimerfdSleeper::prepare(Period period) {
  if (fd_ < 0) fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  interval_ = period.floor();
  armed_ = false;
}

bool TimerfdSleeper::arm(TimePoint<RigTime> slot) TACTUS_RT {
  const itimerspec timer{to_timespec(interval_), to_timespec(clock_.to_monotonic(slot).time_since_epoch())};
  armed_ = ::timerfd_settime(fd_, TFD_TIMER_ABSTIME, &timer, nullptr) == 0;
  last_fired_ = slot - interval_;
  return armed_;
}

WaitResult TimerfdSleeper::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  for (;;) {
    if (disturbed_.load(std::memory_order_relaxed)) {
      disturbed_.store(false, std::memory_order_relaxed);
      armed_ = false;
    }
    // The armed grid serves as long as it passes through the slot. On another clock than the kernel's it
    // would drift.
    const bool on_grid = armed_ && slot > last_fired_ &&
                         (slot - last_fired_).count() % interval_.count() == 0 &&
                         clock_.to_monotonic(slot).time_since_epoch() == slot.time_since_epoch();
    if (!on_grid && !arm(slot)) return {WaitStatus::source_lost, clock_.now()};
    // Looked at after arming: what an interrupt before that did to the timer, arming has undone.
    if (interrupted()) break;
    while (last_fired_ < slot) {
      std::uint64_t fired = 0;
      const ssize_t got = ::read(fd_, &fired, sizeof fired);
      if (interrupted() || disturbed_.load(std::memory_order_relaxed)) break;
      if (got < 0 && errno == EINTR) continue;
      if (got != sizeof fired) return {WaitStatus::source_lost, clock_.now()};
      expirations_ += fired;
      last_fired_ += interval_ * static_cast<std::int64_t>(fired);
    }
    if (interrupted()) break;
    if (const TimePoint<RigTime> now = clock_.now(); now >= slot && last_fired_ >= slot)
      return {WaitStatus::reached, now};
    armed_ = false;  // disturbed, or on a clock at another rate than the kernel's: once more
  }
  armed_ = false;
  return {WaitStatus::interrupted, clock_.now()};
}

void TimerfdSleeper::interrupt() TACTUS_RT {
  Sleeper::interrupt();
  disturbed_.store(true, std::memory_order_relaxed);
  const itimerspec at_once{{0, 0}, {0, 1}};
  // Wakes a read that is waiting; that it fails before prepare() is what we want.
  (void)::timerfd_settime(fd_, 0, &at_once, nullptr);
}

WaitResult SpinSleeper::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  TimePoint<RigTime> now = clock_.now();
  while (now < slot) {
    if (interrupted()) return {WaitStatus::interrupted, now};
    now = clock_.now();
  }
  return {WaitStatus::reached, now};
}

HybridSleeper::HybridSleeper(PacedClock& clock, std::optional<Nanoseconds> margin)
    : Sleeper(clock), measured_(!margin), margin_(margin.value_or(Nanoseconds{50'000})) {}

void HybridSleeper::prepare(Period period) {
  if (!measured_) return;
  LatencyHistogram in_one;
  LatencyHistogram in_two;
  for (int i = 0; i < 100; ++i)
    for (const bool twice : {false, true}) {
      const TimePoint<RigTime> target = clock_.now() + Nanoseconds{500'000};
      int error = twice ? sleep_until(clock_.to_monotonic(target - kLastSleep)) : 0;
      if (error == 0) error = sleep_until(clock_.to_monotonic(target));
      if (error != 0) throw std::system_error(error, std::generic_category(), "clock_nanosleep");
      (twice ? in_two : in_one).add(clock_.now() - target);
    }
  choose(in_one.quantile(0.95), in_two.quantile(0.95), period);
}

void HybridSleeper::choose(Nanoseconds p95_in_one, Nanoseconds p95_in_two, Period period) {
  twice_ = p95_in_one > SpinMargin::kLeast && p95_in_two * 4 < p95_in_one * 3;
  margin_.begin((twice_ ? p95_in_two : p95_in_one) * 5 / 2, period);
}

WaitResult HybridSleeper::wait_until(TimePoint<RigTime> slot) TACTUS_RT {
  const TimePoint<RigTime> until = slot - margin();
  const bool sleeps = measured_ && clock_.now() < until;
  if (twice_)
    (void)sleep_in_pieces(clock_, until - kLastSleep, *this);  // what ends it ends the next one, too
  WaitResult result = sleep_in_pieces(clock_, until, *this);
  if (sleeps && result.status == WaitStatus::reached) margin_.follow(result.wake - until);
  while (result.status == WaitStatus::reached && result.wake < slot) {
    if (interrupted()) result.status = WaitStatus::interrupted;
    result.wake = clock_.now();
  }
  return result;
}

WaitResult SpinSleeper::rest_until(TimePoint<RigTime> slot) TACTUS_RT {
  return sleep_in_pieces(clock_, slot, *this);
}

WaitResult HybridSleeper::rest_until(TimePoint<RigTime> slot) TACTUS_RT {
  return sleep_in_pieces(clock_, slot, *this);
}

std::string HybridSleeper::remark() const {
  return "margin " + std::to_string((margin().count() + 500) / 1000) + " us, " +
         (measured_ ? "measured" : "as set") + (twice_ ? ", in two sleeps" : "");
}

double HybridSleeper::share_spun(Period period) const {
  // Before it is measured: what SpinMargin allows at most.
  const Nanoseconds spun = measured_ ? std::min(margin(), period.floor() / 4) : margin();
  return std::min(1.0, static_cast<double>(spun.count()) * 1e-9 / period.seconds());
}

std::unique_ptr<Sleeper> make_sleeper(SleeperKind kind, PacedClock& clock,
                                      std::optional<Nanoseconds> margin) {
  switch (kind) {
    case SleeperKind::nanosleep:
      return std::make_unique<NanosleepSleeper>(clock);
    case SleeperKind::timerfd:
      return std::make_unique<TimerfdSleeper>(clock);
    case SleeperKind::spin:
      return std::make_unique<SpinSleeper>(clock);
    case SleeperKind::hybrid:
      return std::make_unique<HybridSleeper>(clock, margin);
  }
  return nullptr;
}

}  // namespace tactus::rtsync
