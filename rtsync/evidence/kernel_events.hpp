// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rtsync/evidence/code_map.hpp"
#include "rtsync/evidence/event_ring.hpp"
#include "rtsync/evidence/sign_reader.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// A thread that is watched, and the CPUs that it may run on.
struct EventThread {
  pid_t tid = 0;
  std::string name;
  bool realtime = false;    ///< its policy
  bool each_fault = false;  ///< KernelEvents::faults() is wanted, and read
  CodeMap code{};           ///< map of its process
};

/// Events that the kernel records of some threads and their CPUs.
///
/// Threads  constructor: any. The rest: one reader.
/// RT       all but the constructor: no system call, no lock; look() reads what some dozens of frames left.
class KernelEvents {
 public:
  /// `alive`: how often a thread on its CPU is to show that it gets on; 0: never. `realtime` outlives it;
  /// nullptr: not known. @when setup
  KernelEvents(std::span<const EventThread> threads, const CpuSet& cpus, Nanoseconds alive,
               const RealtimeThreads* realtime = nullptr);

  std::vector<Provision> provisions() const { return provisions_; }
  std::size_t threads() const TACTUS_RT { return threads_.size(); }

  /// Returns the observations of a thread between two times that have passed. `wake`: the thread was to be
  /// woken at `from`.
  Evidence look(std::size_t thread, EvidenceTime from, EvidenceTime to, bool wake) const TACTUS_RT;
  /// The ring of a thread.
  const EventRing& ring(std::size_t thread) const TACTUS_RT { return threads_[thread].ring; }
  pid_t thread_id(std::size_t thread) const TACTUS_RT { return threads_[thread].tid; }
  /// A fault of a thread that needs no disk takes no longer.
  Nanoseconds fault_time(std::size_t thread) const TACTUS_RT { return threads_[thread].rates.fault; }
  /// The CPUs that are watched; empty: that is not permitted.
  std::size_t cpus() const TACTUS_RT { return cpus_.size(); }
  const EventRing& cpu_ring(std::size_t cpu) const TACTUS_RT { return cpus_[cpu].ring; }
  /// Each minor fault of a thread has a record there, beside those of ring().
  EventRing& faults(std::size_t thread) TACTUS_RT { return threads_[thread].faults; }
  /// Number of minor faults for which one record in ring() stands.
  std::uint32_t faults_per_sample(std::size_t thread) const TACTUS_RT {
    return threads_[thread].rates.faults;
  }
  /// Every frame: keeps now and then where all rings are, so that a late frame need not read what was long
  /// before it. `frame`: when it began.
  void mark(EvidenceTime frame) TACTUS_RT;
  /// Forgets what is older than the call before: now and then, or records are lost.
  void release() TACTUS_RT;

  /// Signs of life are interrupts: where they come by the CPU, they are begun anew until they lie in the
  /// middle between the slots of the frames, so that none delays a wake. `slot`: one of the last. Sleeps for
  /// less than a frame for each CPU. To be called now and then by one thread: slots that an external clock
  /// gives drift. False: a sleep ended late, so that some do not lie there yet. @when service
  bool keep_signs_between(EvidenceTime slot, Nanoseconds frame);
  /// Has signs of life come that often, where they come by the CPU; frames around it know no silence. By the thread of
  /// keep_signs_between(). False: they do not.  @when service
  bool change_signs(Nanoseconds alive);
  /// They come by the CPU: that is permitted, and there are no more than two CPUs for each thread.
  bool has_signs_by_cpu() const TACTUS_RT { return signs_by_cpu_; }
  /// Switches of the CPUs are recorded: that is permitted.
  bool sees_cpus() const TACTUS_RT { return !cpus_.empty(); }

 private:
  struct Thread {
    pid_t tid = 0;
    EventRing ring;
    EventRing faults;
    EventRates rates;
    bool realtime = false;
    CodeMap code;
  };
  struct Cpu {
    std::uint32_t number = 0;
    EventRing ring;
    EventRing interrupts;
    std::optional<EvidenceTime> restarted;  // its signs of life
  };
  void open_cpus(const CpuSet& cpus, Nanoseconds alive, const CallRegisters& call_registers);
  Nanoseconds alive() const TACTUS_RT { return Nanoseconds{alive_ns_.load(std::memory_order_acquire)}; }
  std::optional<EvidenceTime> signs_restarted() const TACTUS_RT;
  EventRates rates_of(const Thread& thread) const TACTUS_RT;
  bool read_thread(const Thread& thread, EvidenceTime from, EvidenceTime to,
                   ThreadTimes& times) const TACTUS_RT;
  void open_interrupts(const CpuSet& cpus);
  bool is_realtime(const Thread& thread) const TACTUS_RT;
  std::optional<InterruptTimes> interrupts(const Thread& thread, const ThreadTimes& times, EvidenceTime from,
                                           EvidenceTime to, bool wake) const TACTUS_RT;
  std::vector<Thread> threads_;
  std::vector<Cpu> cpus_;
  const RealtimeThreads* realtime_;
  std::vector<Provision> provisions_;
  std::atomic<std::int64_t> alive_ns_;  // the interval of signs of life; 0: none
  std::uint64_t one_place_ = 0;         // CallNumber::code
  bool signs_by_cpu_ = false;
  EvidenceTime marked_{};
  std::atomic<std::int64_t> signs_restarted_ns_{0};  // the last time; 0: never
  mutable std::vector<SignRing> sign_rings_;         // the reader's: one for each CPU
};

}  // namespace tactus::rtsync
