// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "rtsync/evidence/thread_priority.hpp"
#include "rtsync/host/map_watch.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Part of a frame that took too long.
enum class LatePart : std::uint8_t {
  job,           ///< a job
  between_jobs,  ///< the work of the frame around its jobs: the executive's and its parts'
  wake,          ///< slot to wake
  housekeeping,  ///< the work after the frame before
  catching_up,   ///< nothing: the frame began late, as the one before had overrun
  call,          ///< call of an isolated model to the wake of its process
  answer,        ///< its answer to the wake of the thread that had called it
};

/// Returns true if a thread was to be woken at the beginning of the part.
constexpr bool is_wake(LatePart part) TACTUS_RT {
  return part == LatePart::wake || part == LatePart::call || part == LatePart::answer;
}

/// Returns true if the part is of a call of an isolated model: its process may have been waited for.
constexpr bool is_after_call(LatePart part) TACTUS_RT {
  return part == LatePart::call || part == LatePart::answer;
}

/// The time that is to be explained.
struct FrameFacts {
  LatePart part = LatePart::job;
  Nanoseconds took{0};
  Nanoseconds usual{0};     ///< time of the same part in other frames (p50)
  bool for_others = false;  ///< true: its work is to wait for another thread or an isolated model
  bool spins = false;       ///< wake: the thread read the clock on its CPU instead of sleeping
  Nanoseconds edge_late{
      0};  ///< wake: time from the slot to the external clock's edge, or to when it was given up
  bool edge_missed = false;  ///< it was given up
  Nanoseconds usual_p99{0};  ///< 0: not known
  bool always = false;  ///< nothing of the frame takes longer than usual: all of the time is to be explained
  Nanoseconds excess() const { return always ? took : took - usual; }
};

/// Times that a thread was off its CPU, by reason.
struct SwitchTimes {
  Nanoseconds blocked{0};  ///< it gave up the CPU itself
  std::uint32_t blocks = 0;
  Nanoseconds preempted{0};  ///< it was ready, and not on a CPU
  std::uint32_t preemptions = 0;
  Nanoseconds unplaced{0};  ///< part of `preempted` after so many that nobody looks who had the CPU
  Nanoseconds migrated{0};  ///< it was ready, and came back on another CPU
  std::uint32_t migrations = 0;
  Nanoseconds in_major_fault{0};  ///< gave up the CPU until a page had come from the disk
  Nanoseconds in_calls{0};        ///< time on its CPU, in the calls that it slept in
  Nanoseconds traced{0};          ///< a debugger had stopped it (ptrace)
  Nanoseconds signalled{0};       ///< a signal had stopped it
  Nanoseconds held{0};            ///< off its CPU, in no system call and for no page: something stopped it
  Nanoseconds longest_block{0};
  std::uint64_t code = 0;  ///< the address that its own code continued from after the longest; 0: not known
  std::int32_t call = -1;  ///< the number of the system call that it was in; -1: only the address says it
  Nanoseconds longest_ready{0};  ///< longest part of `preempted` and `migrated` at one time
};

/// Its page faults.
struct FaultTimes {
  std::uint32_t minor = 0;
  std::uint32_t major = 0;
  Nanoseconds took{0};     ///< time on the CPU; estimated by the time between them
  Nanoseconds of_copy{0};  ///< the part of that for pages that are watched as a checkpoint is copied
};

/// Its calls of the heap.
struct HeapTimes {
  std::uint64_t calls = 0;
  Nanoseconds took{0};
};

/// Its calls that map or unmap memory.
struct MapTimes {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;   ///< mapped
  std::uint64_t faults = 0;  ///< pages that the kernel took in them
  Nanoseconds took{0};       ///< time on the CPU
  Nanoseconds unplaced{0};   ///< number of calls that were perhaps another job's
  void add(const MapCalls& more) TACTUS_RT {
    calls += more.calls;
    bytes += more.bytes;
    faults += more.faults;
    took += more.took;
  }
};

/// Its page faults that the kernel counted and did not record: those within its system calls.
struct CountedFaults {
  std::uint64_t count = 0;
  Nanoseconds usual{0};    ///< time that one takes
  Nanoseconds longest{0};  ///< longest time that one takes
};

/// A thread that had a CPU, as the switch to it says.
struct Runner {
  std::int32_t thread = 0;  ///< 0: none
  Nanoseconds time{0};
  std::int16_t priority = kNoPriority;
  ThreadName name{};  ///< empty: the records do not say it
};

/// Threads that had the CPU while the thread was ready to run there, or should have been.
struct OtherThreads {
  std::int32_t thread =
      0;  ///< the one that ran longest, of those that keep it from its CPU if there are any; 0: none
  Nanoseconds longest{0};  ///< its run time
  Nanoseconds ran{0};      ///< all threads together
  Nanoseconds idle{0};     ///< no thread
  Nanoseconds weaker{0};   ///< part of `ran` by ordinary threads, which keep no CPU from a real-time thread
  /// Idle, or with a thread known to be an ordinary one, while a real-time thread was ready: that one, or one that
  /// had just been pushed off.
  Nanoseconds passed_over{0};
  /// A real-time thread had it at the end of the times that the thread slept, up to the moment that it came back: it may
  /// have been woken before.
  Nanoseconds kept{0};
  /// Longest gap on its CPU without a real-time thread. It counts only if one had been preempted and has not
  /// been seen there since (it may have gone to another CPU), or if real-time threads had used three quarters
  /// of the time before. Gaps that ended before the thread left the CPU are ignored.
  Nanoseconds without{0};
  Runner stronger{};  ///< thread that ran longest in `ran` without `weaker`
  Runner ordinary{};  ///< thread that ran longest in `weaker`
  Runner used_up{};   ///< the real-time thread that had the CPU longest, also before
  /// The CPU was idle, or had a weaker thread, though its timers had run since the thread was to wake: it could not run.
  Nanoseconds not_ready{0};
  /// Is the part of `weaker` before the last switch that shows that the thread could not run. After it the weaker
  /// thread may be in a system call.
  Nanoseconds weaker_before{0};
  /// Is the time without a sign of life of the CPU, whatever ran there, while the thread could have run.
  Nanoseconds still_ready{0};
  Nanoseconds still_asleep{0};   ///< the same while it slept
  Nanoseconds still_at_wake{0};  ///< the part of that which lasted until it came back
  Nanoseconds idle_unseen{0};    ///< it slept, and its CPU gives no signs of life while it is idle
  /// A record of a switch has no priorities: that of the last look counts, which may have changed since.
  bool unranked = false;
  /// Real-time threads had left more than a tenth of the time before `without`: the kernel's limit, which leaves a
  /// twentieth by default, was not reached.
  bool left_time_before = false;
};

/// Interrupts and softirqs of its CPU, one inside of another counted once.
struct InterruptTimes {
  enum class Kind : std::uint8_t { none, irq, softirq, vector };
  Nanoseconds took{0};
  std::uint32_t count = 0;
  Kind kind = Kind::none;   ///< the one that took longest in all
  std::int32_t number = 0;  ///< number of the interrupt, of the softirq, or for name_of_vector()
  Nanoseconds longest{0};   ///< longest time of one
};

/// Time on its CPU without a sign of life.
struct Silence {
  Nanoseconds took{0};
  bool anywhere = false;  ///< signs come from within system calls, too
  Nanoseconds blind{0};   ///< least time that can be seen
  /// It showed that it was there, but the CPU ran the kernel then: for it, or for an interrupt.
  Nanoseconds in_kernel{0};
  Nanoseconds in_call{0};  ///< the part of that in system calls that the thread made
  std::uint64_t code =
      0;  ///< the address that its own code continued from after the last of those; 0: not known
  /// Time by which signs came late, each by less than their interval. A stop that is shorter makes one later by a part of
  /// itself, or none.
  Nanoseconds late{0};
  Nanoseconds known{0};  ///< signs had room for that first part of the time; 0: for all of it
};

/// Path of a control group, with a 0 at its end; of a long one the end of it.
using GroupName = std::array<char, 43>;

/// Stops of ordinary threads by the limit of their control group, in the time looked at and shortly before.
struct QuotaStops {
  Nanoseconds took{0};           ///< sum over all CPUs of the group
  Nanoseconds over_after{0};     ///< they were over that long after the time looked at began; 0: not known
  std::int32_t times = 0;        ///< periods at whose end threads were stopped
  std::uint32_t runtime_us = 0;  ///< the limit: CPU time of each period
  std::uint32_t period_us = 0;
  bool uncertain = false;  ///< true: there may have been more
  GroupName group{};       ///< the one that stopped them longest; empty: none did
  bool any() const TACTUS_RT { return uncertain || times > 0 || took > Nanoseconds{0}; }
};

/// Observations of one thread between two times. Every figure is for that time; nothing: it cannot be known
/// on this machine, or records were lost.
struct Evidence {
  std::optional<SwitchTimes> switches;
  std::optional<FaultTimes> faults;
  std::optional<HeapTimes> heap;
  std::optional<MapTimes> maps;
  /// Faults, including frames since the last look, a second ago at most.
  std::optional<CountedFaults> counted;
  std::optional<OtherThreads> others;
  std::optional<Silence> silence;
  std::optional<InterruptTimes> interrupts;
  std::optional<Nanoseconds> idle_exit;     ///< the longest that its CPU takes to leave an idle state
  std::optional<double> speed;              ///< speed of its CPU, against the usual one
  std::optional<Nanoseconds> throttle_gap;  ///< time for which the kernel's real-time limit stops a thread
  std::optional<std::uint32_t> cpu;         ///< last CPU of the thread
  /// It was ready and had no CPU for at least this long, as the kernel counts it without permission. Only where no
  /// switches of its CPU are recorded.
  std::optional<Nanoseconds> queued;
  /// Longest time that one which was to be woken was ready and had no CPU, as the kernel counts it.
  std::optional<Nanoseconds> ready_most;
  /// Stops by the limits of its control groups that can be seen; nothing: they are not counted.
  std::optional<QuotaStops> quota;
  std::int32_t thread = 0;  ///< its number; 0: nothing was looked at
  bool realtime = true;     ///< the thread has real-time priority
  bool preemptible = true;  ///< the kernel lets go of an ordinary thread's CPU at once
  /// A freezer of cgroup v1 was switched meanwhile, or may have been: it holds a thread that sleeps where it sleeps.
  bool perhaps_frozen = false;
  bool went_on = false;  ///< a signal had stopped the process, and another let it continue
};

}  // namespace tactus::rtsync
