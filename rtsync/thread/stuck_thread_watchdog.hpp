// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// A thread that must get on while it is busy.
struct WatchedThread {
  std::string name;
  const std::atomic<std::uint64_t>* progress = nullptr;  ///< any other value than before: it gets on
  const std::atomic<bool>* busy = nullptr;               ///< false: it waits, and need not get on
  Nanoseconds timeout{1'000'000'000};  ///< time without progress after which a thread is stuck
};

/// The thing that kept a stuck thread from getting on, as far as the kernel says it.
enum class StuckBy : std::uint8_t {
  itself,   ///< its own code: it used its CPU, or slept
  no_cpu,   ///< it was ready all the time, and had next to nothing of its CPU
  stopped,  ///< a debugger or a signal had stopped it
  frozen,   ///< its control group is frozen
};

/// Facts that the kernel says of a thread that does not get on.
struct StuckLook {
  char state = '?';            ///< letter of /proc/TID/stat; '?': it has ended
  std::string_view sleeps_in;  ///< /proc/TID/wchan: function of the kernel that it sleeps in; "0": none
  Nanoseconds ran{0};          ///< its CPU time since it got on last
  bool slept = false;          ///< it is known to have slept since then
  Nanoseconds without_progress{0};
};

/// Returns what kept a thread.  @when any
StuckBy stuck_by(const StuckLook& look) TACTUS_RT;

/// Decides which thread is stuck, from what it sees when it looks. Time is the caller's.
///
/// A look counts for the time since the look before, but for no more than twice the interval between looks:
/// if the whole process stood still (SIGSTOP, a debugger, a suspended machine), so did the watched thread.
/// A thread is found stuck at the earliest when its timeout is over, at the latest two intervals later.
///
/// Threads  one, but for the atomics it looks at. RT: look() and stuck().
class StuckDetector {
 public:
  /// A quarter of the smallest timeout, 1 ms .. 250 ms.
  static Nanoseconds interval_for(const std::vector<WatchedThread>& threads);

  /// Throws std::invalid_argument for a thread without a counter or a flag. @when setup
  StuckDetector(std::vector<WatchedThread> threads, Nanoseconds interval);

  Nanoseconds interval() const { return interval_; }
  const std::vector<WatchedThread>& threads() const { return threads_; }
  /// The threads that this look finds stuck: each one once in its life. Good until the next look. @when rt
  std::span<const std::size_t> look(TimePoint<MonotonicTime> now) TACTUS_RT;
  bool stuck(std::size_t index) const TACTUS_RT { return seen_[index].stuck; }
  /// Time since the thread was seen to get on, or not to be busy.
  Nanoseconds without_progress(std::size_t index) const TACTUS_RT { return seen_[index].without_progress; }

 private:
  struct Seen {
    bool busy = false;  // at the look before
    bool stuck = false;
    std::uint64_t progress = 0;
    Nanoseconds without_progress{0};
  };

  std::vector<WatchedThread> threads_;
  Nanoseconds interval_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> found_;
  std::optional<TimePoint<MonotonicTime>> last_look_;
};

struct StuckThreadWatchdogSettings {
  int priority = 99;         ///< SCHED_FIFO; above all the threads it watches; 0: an ordinary thread
  CpuSet cpus = {};          ///< CPUs of the watchdog; empty: any
  CpuSet demoted_cpus = {};  ///< CPUs of a stuck thread from then on; empty: those that it had
  bool when_idle = false;    ///< a stuck thread gets only what no other thread wants: SCHED_IDLE
  /// Called on the guard's thread at least every `look_every`, for code that has to look more often.
  /// Real-time safe.
  std::function<void()> on_look = {};
  Nanoseconds look_every{1'000'000};
  std::string owner = {};  ///< rig that the watchdog's name shows
};

/// A thread above all the rig's real-time threads that takes real time away from one that no longer gets on.
///
///     StuckThreadWatchdog guard{{.priority = 90}, {{"main", &frames, &in_frame, 1s}}, [](std::size_t)
///     noexcept { stop(); }}; guard.started(0, gettid());   // on the watched thread, or by any thread that knows
///
/// A SCHED_FIFO thread in an endless loop keeps its CPU from every thread below, for ever where the kernel's
/// throttle is off. When one is stuck the guard calls on_stuck, then makes the thread an ordinary one (of
/// SCHED_OTHER) that may run on `demoted_cpus`: it continues looping, and the machine lives. As long as a
/// thread waits for a mutex with priority inheritance that the thread holds, it keeps that waiter's priority.
///
/// Threads the constructor's owner; started(), ended() and fate() any; on_stuck is called on the guard's. RT
/// started(), ended(), fate(). on_stuck must be real-time safe: the stuck thread may hold any lock.
class StuckThreadWatchdog {
 public:
  using OnStuck = std::function<void(std::size_t index)>;
  enum class Fate {
    watched,  ///< not stuck so far
    stuck,    ///< found stuck; on_stuck runs, or its tid is unknown, so that no more can be done
    demoted,  ///< found stuck, and no longer a real-time thread
    untamed,  ///< found stuck, and the kernel refused to change it
  };

  /// Returns when its thread is ready to watch. Throws what PinnedThread and StuckDetector throw. @when setup
  StuckThreadWatchdog(const StuckThreadWatchdogSettings& settings, const std::vector<WatchedThread>& threads,
                      OnStuck on_stuck);
  /// Ends the watching, at once. What was demoted stays demoted. @when service
  ~StuckThreadWatchdog();
  StuckThreadWatchdog(const StuckThreadWatchdog&) = delete;
  StuckThreadWatchdog& operator=(const StuckThreadWatchdog&) = delete;

  /// Provisions of the watchdog's own thread.
  std::vector<Provision> provisions() const { return thread_->provisions(); }
  pid_t tid() const { return thread_->tid(); }
  Nanoseconds interval() const { return watch_.interval(); }

  /// The tid of a watched thread, before it is busy for the first time; and when it is about to end. @when
  /// any
  void started(std::size_t index, pid_t tid) TACTUS_RT { states_[index].tid.store(tid); }
  void ended(std::size_t index) TACTUS_RT { states_[index].tid.store(0); }
  Fate fate(std::size_t index) const TACTUS_RT { return states_[index].fate.load(); }
  /// Looks what keeps a thread that does not get on, if its tid has been known for two intervals; else says `itself`. From
  /// on_stuck nothing has changed the thread yet; likewise for whoever waits for one as long. @when any
  StuckBy stuck_by(std::size_t index) const TACTUS_RT;

 private:
  struct State {
    std::atomic<pid_t> tid{0};
    std::atomic<Fate> fate{Fate::watched};
    // The watchdog's thread writes the rest; who looks what keeps a thread reads it.
    std::atomic<pid_t> opened{0};  // the thread that the files are of, once they are open
    Descriptor stat;               // opened before it is stuck: to look a path up may take memory and locks
    Descriptor status;
    Descriptor wchan;
    std::atomic<Nanoseconds> ran{Nanoseconds{0}};  // its CPU time as it was seen to get on last
    // How often it had slept at the first look at which it had not got on; negative: not known.
    std::atomic<std::int64_t> slept{-1};
    std::atomic<Nanoseconds> without_progress{Nanoseconds{0}};  // at the last look, which was then:
    std::atomic<TimePoint<MonotonicTime>> looked{TimePoint<MonotonicTime>{}};
  };

  static void note(State& state, Nanoseconds without_progress, TimePoint<MonotonicTime> now) TACTUS_RT;
  void run();
  void look(TimePoint<MonotonicTime> now) TACTUS_RT;
  Fate tame(pid_t tid) const TACTUS_RT;

  Gate end_;
  const StuckThreadWatchdogSettings settings_;
  const pid_t process_;
  StuckDetector watch_;
  const OnStuck on_stuck_;
  std::unique_ptr<State[]> states_;
  std::unique_ptr<PinnedThread> thread_;  // the last: it uses all the others
};

}  // namespace tactus::rtsync
