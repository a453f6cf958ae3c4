// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "rtsync/host/provision.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// A mutex whose holder runs at the priority of the most urgent thread that waits for it.
///
/// Threads  any. RT: try_lock() and unlock() make no system call while no thread waits.
class alignas(64) PiMutex {
 public:
  /// Throws std::system_error when there can be no mutex at all. @when setup
  PiMutex();
  ~PiMutex();
  PiMutex(const PiMutex&) = delete;
  PiMutex& operator=(const PiMutex&) = delete;

  /// 0, or the errno with which inheritance was refused: then it is a mutex like any other.
  int refused() const { return refused_; }
  void lock() TACTUS_RT;
  bool try_lock() TACTUS_RT;
  /// False: the deadline has passed.
  bool lock_until(TimePoint<MonotonicTime> deadline) TACTUS_RT;
  /// The same for a kernel (before 5.14) or C library (before 2.35) that can wait for such a mutex by
  /// CLOCK_REALTIME only: may be late when that clock is set back meanwhile.
  bool lock_until_by_wall_clock(TimePoint<MonotonicTime> deadline) TACTUS_RT;
  void unlock() TACTUS_RT;

 private:
  pthread_mutex_t mutex_;
  int refused_ = 0;
};

/// Trigger and join of one worker thread by the frame thread, once per pass.
///
///     worker:  handshake.begin();
///              while (const auto n = handshake.await_work()) { work(); handshake.finished(*n); }
///     frame:   if (handshake.idle()) handshake.trigger();
///              ...
///              if (handshake.join(deadline) != Gate::Result::open) late();   // may be asked again
///     end:     handshake.dismiss();                                         // then join the thread
///
/// A frame thread that sleeps for its worker lends it its priority for exactly that time (but in mode spin,
/// which does not sleep), so that no thread in between can hold up both. The worker holds one of two mutexes
/// while it works: pass n's is number n % 2. Before it says that n is done it takes that of n + 1, and lets
/// go of that of n afterwards. So a thread that joins n and blocks on mutex n % 2 is a waiter the kernel
/// knows of, and the worker never gets one that another thread holds.
///
/// Threads  begin(), await_work(), finished(), leave(): the worker. trigger(), join(), idle(): one frame
///          thread. dismiss(): any. Destroy it when the worker's thread has ended.
/// RT       no allocation, no exception. System calls: those of Gate, one to block and one to end that.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what each side writes has a cache line of its own
class Handshake {
 public:
  /// `first`: the number before the first pass. `spin`: how long adaptive spins at most, at either end.
  /// @when setup
  explicit Handshake(WaitMode mode, Nanoseconds spin = kSpinBeforeSleep, std::uint32_t first = 0);
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  WaitMode mode() const TACTUS_RT { return mode_; }
  /// Returns whether the worker will inherit the frame thread's priority. Mode spin does not request that.
  Provision provision() const;

  /// Once, on the worker's thread, before the first await_work(). Before it there is nothing to be inherited.
  void begin() TACTUS_RT;
  /// Waits for the next pass; its number. Nothing: dismissed, and all that was triggered is done.   @when rt
  std::optional<std::uint32_t> await_work() TACTUS_RT;
  void finished(std::uint32_t n) TACTUS_RT;  // @when rt
  /// The worker ends without having been dismissed: its pass, if it has one, is never finished.     @when any
  void leave() TACTUS_RT;

  /// Starts a pass; its number. The one before should be finished: if it is not, both are done in their
  /// order, but priority is not inherited before the last.                                         @when rt
  std::uint32_t trigger() TACTUS_RT;
  /// Waits for all that was triggered. given_up: the worker has left without finishing it. A worker that was
  /// taken out of real time because it is stuck gets its priority back for as long as a thread joins it: do
  /// not. @when rt
  Gate::Result join(TimePoint<MonotonicTime> deadline) TACTUS_RT;
  /// Everything that was triggered is finished.                                                     @when rt
  bool idle() const TACTUS_RT { return done_.value() == triggered_; }
  /// Ends the worker's waiting, now and later.                                                     @when any
  void dismiss() TACTUS_RT;
  bool dismissed() const TACTUS_RT { return dismissed_.load(); }

 private:
  bool inherits() const TACTUS_RT { return mode_ != WaitMode::spin; }
  PiMutex& mutex_of(std::uint32_t n) TACTUS_RT { return mutexes_[n % 2]; }

  const WaitMode mode_;
  Gate work_;
  Gate done_;
  PiMutex mutexes_[2];
  std::atomic<bool> dismissed_{false};
  std::atomic<bool> left_{false};
  alignas(64) std::uint32_t next_;  // the worker's: the pass it waits for or works on
  bool holds_ = false;              // likewise: the mutex of next_
  SpinBudget work_spin_;            // likewise
  alignas(64) std::uint32_t triggered_;
  SpinBudget done_spin_;  // the frame thread's
};

}  // namespace tactus::rtsync
