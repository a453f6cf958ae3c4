// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// The clock that frames are paced by. One per rig.
///
/// Threads  setup, then the paced thread alone. const functions: any thread. What other threads measure, they
///          measure with monotonic_now().
class PacedClock : public Interface {
 public:
  /// The time now. Never goes back.                                                                 @when rt
  virtual TimePoint<RigTime> now() TACTUS_RT = 0;

  /// The same moment on CLOCK_MONOTONIC, for the kernel's timers, which know no other clock. Computed anew at
  /// each call, so that a difference in rate never adds up. @when rt
  virtual TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT = 0;

  /// The first moment at or after t at which a frame may start: t itself, unless something outside decides.
  /// @when rt
  virtual TimePoint<RigTime> frame_start(TimePoint<RigTime> t) TACTUS_RT { return t; }

  virtual const char* name() const TACTUS_RT = 0;
};

/// CLOCK_MONOTONIC: never stepped by NTP or by hand, read without a system call on most machines.
class MonotonicClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override;
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    return TimePoint<MonotonicTime>{t.time_since_epoch()};
  }
  const char* name() const TACTUS_RT override { return "monotonic"; }
};

/// The processor's time-stamp counter (ARM64: CNTVCT_EL0), calibrated against CLOCK_MONOTONIC: the cheapest
/// read there is. It is not steered by NTP, so it may run up to some 100 ppm faster or slower than
/// CLOCK_MONOTONIC. On ARM64 a tick takes from 1 ns to some 100 ns.
class TscClock final : public PacedClock {
 public:
  /// ns = base + (ticks - base_ticks) * scale / 2^32.                                             @when setup
  TscClock(std::uint64_t base_ticks, TimePoint<RigTime> base, std::uint64_t scale);
  TimePoint<RigTime> now() TACTUS_RT override;
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "tsc"; }
  /// Nanoseconds per tick, times 2^32.
  std::uint64_t scale() const TACTUS_RT { return scale_; }

 private:
  std::uint64_t base_ticks_;
  TimePoint<RigTime> base_;
  std::uint64_t scale_;
};

/// The counter and CLOCK_MONOTONIC at one moment.
struct ClockPair {
  std::uint64_t ticks = 0;
  TimePoint<MonotonicTime> time;
};

/// Facts that decide whether the time-stamp counter can be a clock. probe() reads them from the machine;
/// tests write them.
struct TscFacts {
  bool has_counter = false;  ///< x86-64, ARM64
  bool invariant = false;    ///< constant rate, runs in all C-states; x86-64: CPUID 80000007h EDX bit 8
  std::string kernel_clock_source;     ///< /sys/devices/system/clocksource/clocksource0/current_clocksource
  std::uint64_t (*ticks)() = nullptr;  ///< reads the counter
  TimePoint<MonotonicTime> (*monotonic)() = nullptr;  ///< reads CLOCK_MONOTONIC
  void (*wait)(Nanoseconds) = nullptr;  ///< lets time pass between the two ends of a measurement
  std::string own_source = "tsc";       ///< name of this counter in the kernel; ARM64: arch_sys_counter
  std::vector<ClockPair> noted = {};    ///< earlier moments, oldest first: less has to be waited for
  /// The least that each half of a measurement lasts, from 0.1 ms on. The halves may differ by 2 us, of 10 ms at
  /// most: 200 ppm, which is what a clock for frames needs; 1000 ppm of 2 ms.
  Nanoseconds half{10'000'000};

  static TscFacts probe();
  /// Notes both clocks for probe() calls of the second that follows: a start that does something else in between calls it
  /// first, and once on the way, and then hardly waits for the calibration.                     @when setup; any thread
  static void note();
};

/// A clock, and why it is not the one that was asked for (empty when it is).
struct ClockChoice {
  std::unique_ptr<PacedClock> clock;
  std::string reason;
};

/// The TSC clock if this machine's counter can be trusted, else CLOCK_MONOTONIC and the reason. Takes twice
/// TscFacts::half to calibrate, less what has passed since TscFacts::note(). @when setup
ClockChoice choose_tsc_clock(const TscFacts& facts);

/// Reads the raw counter; 0 where there is none.                                                   @when any
inline std::uint64_t read_tsc() TACTUS_RT {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");  // isb: else it may be read too early
  return ticks;
#else
  return 0;
#endif
}

}  // namespace tactus::rtsync
