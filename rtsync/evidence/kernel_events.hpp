// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/evidence/tracepoint.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// A ring that the kernel writes its records of one thread or one CPU into: perf_event_open(2), and the memory
/// that it shares.
///
/// Threads  one reader.
/// RT       head() and after: plain loads and stores.
class EventRing {
 public:
  EventRing() = default;
  EventRing(EventRing&& other) noexcept;
  EventRing& operator=(EventRing&& other) noexcept;
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;
  ~EventRing();

  /// Of a thread, wherever it runs. The errno of what was refused; 0: it is there.               @when setup
  /// `call`: where the number of a system call stands; without a place, its address alone is recorded.
  int open_thread(pid_t thread, EventRates& rates, const CallNumber& call = {});
  /// Of a CPU, whoever runs there.                                                               @when setup
  int open_cpu(int cpu);
  /// The interrupts of a CPU.                                                                    @when setup
  int open_interrupts(int cpu, const InterruptTracepoints& tracepoints);

  bool is_open() const TACTUS_RT { return memory_ != nullptr; }
  std::uint64_t head() const TACTUS_RT;
  /// The oldest record that is still there.
  std::uint64_t tail() const TACTUS_RT { return tail_; }
  EventBytes bytes() const TACTUS_RT { return {{data_, size_}, ids_}; }
  std::size_t size() const TACTUS_RT { return size_; }
  /// As tail(), for others than the reader.                                                        @when any
  std::uint64_t oldest() const TACTUS_RT;
  /// Gives back what was written before the call before this one.
  void release() TACTUS_RT;

 private:
  int open(pid_t thread, int cpu, std::uint32_t type, std::uint64_t config, std::uint64_t period, bool kernel,
           std::uint64_t* id);
  int open_tracepoint(int cpu, const Tracepoint& tracepoint, std::uint64_t& id);
  int map(std::size_t bytes);

  std::vector<int> files_;
  void* memory_ = nullptr;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  EventIds ids_;
  std::uint64_t tail_ = 0;
  std::uint64_t mark_ = 0;
};

/// A thread that is watched, and the CPUs that it may run on.
struct EventThread {
  pid_t tid = 0;
  std::string name;
  bool realtime = false;  ///< its policy
};

/// What the kernel tells of some threads and their CPUs.
///
/// Threads  constructor: any. The rest: one reader.
/// RT       all but the constructor: no system call, no lock; look() reads what some dozens of frames left.
class KernelEvents {
 public:
  /// `alive`: how often a thread on its CPU is to show that it gets on; 0: never. `realtime` outlives it; nullptr: it is
  /// not known who is.                                                                            @when setup
  KernelEvents(std::span<const EventThread> threads, const CpuSet& cpus, Nanoseconds alive,
               const RealtimeThreads* realtime = nullptr);

  std::vector<Provision> provisions() const { return provisions_; }
  std::size_t threads() const TACTUS_RT { return threads_.size(); }

  /// What was seen of a thread between two times that have passed. `wake`: it was to be woken at `from`.
  Evidence look(std::size_t thread, EvidenceTime from, EvidenceTime to, bool wake) const TACTUS_RT;
  /// The ring of a thread.
  const EventRing& ring(std::size_t thread) const TACTUS_RT { return threads_[thread].ring; }
  /// The CPUs that are watched; empty: that is not permitted.
  std::size_t cpus() const TACTUS_RT { return cpus_.size(); }
  const EventRing& cpu_ring(std::size_t cpu) const TACTUS_RT { return cpus_[cpu].ring; }
  /// How many minor faults a record of one stands for.
  std::uint32_t faults_per_sample(std::size_t thread) const TACTUS_RT {
    return threads_[thread].rates.faults;
  }
  /// Forgets what is older than the call before: now and then, or records are lost.
  void release() TACTUS_RT;

 private:
  struct Thread {
    pid_t tid = 0;
    EventRing ring;
    EventRates rates;
    bool realtime = false;
  };
  struct Cpu {
    std::uint32_t number = 0;
    EventRing ring;
    EventRing interrupts;
  };
  void open_cpus(const CpuSet& cpus);
  void open_interrupts(const CpuSet& cpus);
  std::optional<InterruptTimes> interrupts(const Thread& thread, const ThreadTimes& times, EvidenceTime from,
                                           EvidenceTime to, bool wake) const TACTUS_RT;
  std::vector<Thread> threads_;
  std::vector<Cpu> cpus_;
  const RealtimeThreads* realtime_;
  std::vector<Provision> provisions_;
};

}  // namespace tactus::rtsync
