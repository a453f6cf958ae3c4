// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rtsync/clock/clock.hpp"
#include "rtsync/clock/edge_faults.hpp"
#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"
#include "rtsync/wait/spin_margin.hpp"

namespace tactus::rtsync {

enum class WaitStatus {
  reached,          ///< the slot has come
  interrupted,      ///< interrupt() was called before the slot came
  source_lost,      ///< the kernel refuses to wait (a broken timer): the rig cannot continue
  not_yet,          ///< begin() only: call it again; nothing is wrong
  fault_freeze,     ///< the external clock is at fault and its policy says freeze
  fault_terminate,  ///< the external clock is at fault and its policy says terminate
};

struct WaitResult {
  WaitStatus status;
  TimePoint<RigTime> wake;  ///< time at which the thread really ran again, on the rig's clock
};

/// Waits for a slot. The only place on a real-time thread that makes a system call.
///
/// Threads  prepare() and wait_until() on the paced thread; interrupt() from any.
class Sleeper : public Interface {
 public:
  explicit Sleeper(PacedClock& clock) : clock_(clock) {}

  /// Gets ready to wait for slots of this period, on the thread that will wait. May take 200 ms (hybrid
  /// measures its margin). Throws std::system_error when the kernel refuses. @when setup
  virtual void prepare(Period period) = 0;
  /// Waits, before the first slot, until slots are known, if an external clock decides on them, but for no
  /// longer than 100 ms at a time. @when rt
  virtual WaitResult begin() TACTUS_RT { return {WaitStatus::reached, clock_.now()}; }
  /// Returns at the slot; at once when it is past.                                                 @when rt
  virtual WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT = 0;
  /// Replaces a wait whose slot has passed already: looks at what the wait would have seen. Takes no time and
  /// makes no system call, unless something outside is looked at. @when rt
  virtual WaitResult follow(TimePoint<RigTime>) TACTUS_RT { return {WaitStatus::reached, clock_.now()}; }
  /// The same for a frozen rig, which has no slot to be punctual for: never spins.                 @when rt
  virtual WaitResult rest_until(TimePoint<RigTime> slot) TACTUS_RT { return wait_until(slot); }
  /// Ends the present and every later wait early, within 100 ms, until resume().                   @when any
  virtual void interrupt() TACTUS_RT { interrupted_.store(true); }
  void resume() TACTUS_RT { interrupted_.store(false); }
  bool interrupted() const TACTUS_RT { return interrupted_.load(); }

  virtual const char* name() const TACTUS_RT = 0;
  /// Remark for people on how it works here ("margin 62 us, measured"); empty: none.
  virtual std::string remark() const { return {}; }
  /// Reaction to the last wait that ended with a fault; nothing if none did.                       @when rt
  virtual std::optional<EdgeFaults::Reaction> last_fault() const TACTUS_RT { return {}; }
  /// Describes the reaction as a sentence. @when service
  virtual std::string text_of(const EdgeFaults::Reaction&) const { return {}; }
  /// Explains, as a sentence, why the last wait ended with a fault; empty if it did not. To be called after
  /// that wait.                                                                               @when service
  std::string failure() const {
    const auto fault = last_fault();
    return fault ? text_of(*fault) : std::string();
  }
  /// Share of the processor it burns by itself in a frame of this period, 0 .. 1.
  virtual double share_spun(Period) const { return 0; }

 protected:
  PacedClock& clock_;

 private:
  std::atomic<bool> interrupted_{false};  // sequentially consistent: sleepers inside sleepers rely on it
};

/// clock_nanosleep to the absolute slot on CLOCK_MONOTONIC.
class NanosleepSleeper final : public Sleeper {
 public:
  using Sleeper::Sleeper;
  void prepare(Period) override {}
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "nanosleep"; }
};

/// A timerfd on the absolute grid of slots. The number of expirations that a read returns is the number of
/// slots that have come, so after a late frame the stale ones are consumed without waiting and without arming
/// anew. A grid whose period is not a whole number of nanoseconds is armed again when it has come off by a
/// nanosecond.
class TimerfdSleeper final : public Sleeper {
 public:
  using Sleeper::Sleeper;
  ~TimerfdSleeper() override;
  void prepare(Period period) override;
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override;
  void interrupt() TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "timerfd"; }
  /// All expirations reported so far.                                                              @when any
  std::uint64_t expirations() const TACTUS_RT { return expirations_; }

 private:
  bool arm(TimePoint<RigTime> slot) TACTUS_RT;

  std::atomic<int> fd_{-1};             // interrupt() may come while prepare() makes it
  std::atomic<bool> disturbed_{false};  // interrupt() has taken the timer off the grid
  Nanoseconds interval_{0};
  bool armed_ = false;
  TimePoint<RigTime> last_fired_{};  // the newest grid point whose expiration was read
  std::uint64_t expirations_ = 0;
};

/// Reads the clock until the slot has come. Uses a whole CPU: see throttle.hpp.
class SpinSleeper final : public Sleeper {
 public:
  using Sleeper::Sleeper;
  void prepare(Period) override {}
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override;
  WaitResult rest_until(TimePoint<RigTime> slot) TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "spin"; }
  double share_spun(Period) const override { return 1; }
};

/// Sleeps until a margin before the slot, then spins: the wake-up latency is spent before the slot, not after
/// it. A margin that is not set follows the wakes: SpinMargin. Where a short sleep ends more punctually than a long
/// one, as a processor or a hypervisor that idles for long goes away farther, the last kLastSleep are a sleep of their
/// own: then the margin is shorter.
class HybridSleeper final : public Sleeper {
 public:
  /// A margin of std::nullopt is measured by prepare(), and follows the wakes from then on.
  HybridSleeper(PacedClock& clock, std::optional<Nanoseconds> margin);
  void prepare(Period period) override;
  WaitResult wait_until(TimePoint<RigTime> slot) TACTUS_RT override;
  WaitResult rest_until(TimePoint<RigTime> slot) TACTUS_RT override;
  const char* name() const TACTUS_RT override { return "hybrid"; }
  std::string remark() const override;
  double share_spun(Period period) const override;
  Nanoseconds margin() const TACTUS_RT { return margin_.value(); }

  /// Takes what prepare() has measured: how late 95 of 100 sleeps of 500 us ended at most, in one piece and with the
  /// last 100 us apart. It sleeps in two if that is by more than a quarter less and one piece is later than the least
  /// margin, and begins with 2.5 times its lateness. @when setup
  void choose(Nanoseconds p95_in_one, Nanoseconds p95_in_two, Period period);

 private:
  static constexpr Nanoseconds kLastSleep{100'000};

  bool measured_;
  bool twice_ = false;
  SpinMargin margin_;
};

enum class SleeperKind { nanosleep, timerfd, spin, hybrid };

/// `clock` must outlive the sleeper; `margin` is for hybrid alone. @when setup
std::unique_ptr<Sleeper> make_sleeper(SleeperKind kind, PacedClock& clock, std::optional<Nanoseconds> margin);

}  // namespace tactus::rtsync
