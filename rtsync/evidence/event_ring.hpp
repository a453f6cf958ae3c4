// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/evidence/tracepoint.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/page.hpp"

namespace tactus::rtsync {

/// A ring that the kernel writes its records of one thread or one CPU into: perf_event_open(2), and the memory
/// that it shares.
///
/// Threads  one reader.
/// RT       head() and after: plain loads and stores.
class EventRing {
 public:
  /// Opens the events of a thread, on whichever CPU it runs. Returns the errno of what was refused; 0: it is
  /// open.                                                                                       @when setup
  /// `call`: where the number of a system call is; without a place, only its address is recorded.
  int open_thread(pid_t thread, EventRates& rates, const CallNumber& call = {});
  /// Opens the events of a CPU, whichever thread runs there; and signs of life at that interval, unless 0.
  /// @when setup
  /// `switches`: their records hold more; if the kernel refuses them, ordinary records are used.
  int open_cpu(int cpu, Nanoseconds alive, const std::optional<SwitchTracepoint>& switches,
               const CallRegisters& call_registers = {});
  /// Begins its signs of life anew: the next one comes an interval from now. False: it has none.
  /// @when service
  bool restart_signs() const;
  /// The same, with another interval.  @when service
  bool change_signs(Nanoseconds alive);
  /// Each minor page fault of a thread, as long as there is room. `sampled`: its ring of open_thread().
  /// @when setup
  int open_faults(pid_t thread, EventRing& sampled);
  /// The interrupts of a CPU.                                                                    @when setup
  int open_interrupts(int cpu, const InterruptTracepoints& tracepoints);

  bool is_open() const TACTUS_RT { return memory_ != nullptr; }
  bool has_signs() const TACTUS_RT { return signs_ >= 0; }
  /// A file whose count is that of the minor faults with a record; -1: there is none. It stays the ring's.
  int minor_faults() const TACTUS_RT { return minor_faults_; }
  std::uint64_t head() const TACTUS_RT;
  /// The oldest record that is still there.
  std::uint64_t tail() const TACTUS_RT { return tail_; }
  EventBytes bytes() const TACTUS_RT { return {{data_, size_}, ids_}; }
  std::size_t size() const TACTUS_RT { return size_; }
  /// True: the next record may find no room. The kernel leaves out what does not, and says so with the first that
  /// does.
  bool is_full() const TACTUS_RT;
  /// Keeps where the ring is now.
  void mark(EvidenceTime now) TACTUS_RT;
  /// Position from which to read what is younger than a time: the youngest mark that is older, else tail().
  std::uint64_t begin(EvidenceTime time) const TACTUS_RT;
  /// Returns the oldest position, as tail() does, for threads other than the reader.               @when any
  std::uint64_t oldest() const TACTUS_RT;
  /// Gives back what was written before the call before this one.
  void release() TACTUS_RT;
  /// Gives back what was written until then.
  void release_to(std::uint64_t head) TACTUS_RT;

 private:
  int open(pid_t thread, int cpu, std::uint32_t type, std::uint64_t config, std::uint64_t period, bool kernel,
           std::uint64_t* id);
  int open_tracepoint(int cpu, const Tracepoint& tracepoint, std::uint64_t& id);
  int map(std::size_t bytes);

  std::vector<Descriptor> files_;
  int signs_ = -1;         // one of them: the signs of life of a CPU
  int minor_faults_ = -1;  // likewise
  std::uint64_t signs_period_ = 0;
  Mapping memory_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  EventIds ids_;
  std::uint64_t tail_ = 0;
  std::uint64_t mark_ = 0;
  struct Mark {
    std::uint64_t head = 0;
    EvidenceTime at = EvidenceTime::max();
  };
  std::array<Mark, 2> marks_;  // the older one first
};

}  // namespace tactus::rtsync
