// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rtsync/evidence/call_number.hpp"
#include "rtsync/evidence/thread_priority.hpp"
#include "rtsync/evidence/tracepoint.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// The kernel's numbers of the events whose samples are in a ring; 0: that event is not there.
struct EventIds {
  std::uint64_t alive = 0;
  std::uint64_t minor_fault = 0;
  std::uint64_t major_fault = 0;
  std::uint64_t irq_begin = 0;
  std::uint64_t irq_end = 0;
  std::uint64_t softirq_begin = 0;
  std::uint64_t softirq_end = 0;
  std::uint64_t left = 0;
  /// Offset of the number of an interrupt, and of a softirq, in the record of its tracepoint.
  std::uint32_t irq_offset = 0;
  std::uint32_t softirq_offset = 0;
  CallNumber call{};  ///< place of the number of a system call in the samples of `left`
  /// Number of another event of minor faults of that thread: if both sample one fault, the kernel gives both
  /// the number of either (events/core.c, perf_prepare_sample: what one has filled in stays).
  std::uint64_t other_minor_fault = 0;
  struct Vector {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::array<Vector, kMostVectors> vectors{};
  SwitchTracepoint switched{};  ///< its samples are the records of the thread that leaves a CPU
  bool has_address = false;     ///< its samples have the address that a fault was for
  Nanoseconds shift{0};         ///< shift from the clock of the records to that of this process
  /// The samples of `left` and `alive` have this register in front of the address of the next instruction.
  CallRegisters call_registers{};
  bool signs_have_code = false;  ///< the samples of `alive` have it, and the address of the next instruction
};

/// One record of a ring of perf_event_open(2), as far as it is of interest here.
struct EventRecord {
  enum class Kind : std::uint8_t {
    other,
    on,         ///< the thread came on a CPU
    off,        ///< it gave up its CPU itself
    preempted,  ///< it left its CPU, and could have gone on
    alive,      ///< it was seen on its CPU
    minor_fault,
    major_fault,
    irq_begin,  ///< interrupt; `number`: which
    irq_end,
    softirq_begin,
    softirq_end,
    vector_begin,  ///< interrupt that has a name alone; `number`: see name_of_vector()
    vector_end,
    left,       ///< it leaves its CPU, right before the record that says how: `code`
    limited,    ///< the kernel stops to take samples for a while
    unlimited,  ///< it takes them again
    lost,       ///< records are missing
  };
  Kind kind = Kind::other;
  std::int32_t thread = 0;  ///< thread of the record
  std::int32_t next = -1;   ///< thread that has the CPU then; -1: the ring does not name it
  std::uint32_t cpu = 0;
  bool in_kernel = false;   ///< true: the CPU ran the kernel at the sample
  std::int32_t number = 0;  ///< number of an interrupt; in `left`: of the system call, -1 if unknown
  std::uint64_t code = 0;   ///< the address that its own code continues from; 0: it has none, or is not known
  std::uint64_t address = 0;  ///< address that a fault touched; 0: the ring does not name it
  /// Says whether the thread was in a system call; for `left` and `alive` only.
  enum class InCall : std::uint8_t { unknown, no, yes } in_call = InCall::unknown;
  /// Says what stopped the thread, where the record has it; for `off` only.
  enum class Stop : std::uint8_t { none, traced, signalled } stop = Stop::none;
  std::int16_t priority = kNoPriority;       ///< priority of the thread that leaves
  std::int16_t next_priority = kNoPriority;  ///< priority of the thread that comes
  ThreadName name{};                         ///< name of the thread that leaves
  ThreadName next_name{};
  TimePoint<MonotonicTime> at{};
};

/// The bytes of a ring of the kernel; a record may continue at the beginning.
///
/// RT  yes.
class EventBytes {
 public:
  /// The size is a power of two.
  EventBytes(std::span<const std::byte> ring, const EventIds& ids) TACTUS_RT : ring_(ring), ids_(ids) {}

  /// Reads the record at `from`, and moves it after that. False: there is no whole record before `to`; what
  /// is there is no record, and nothing after it can be read.
  bool next(std::uint64_t& from, std::uint64_t to, EventRecord& record) const TACTUS_RT;

 private:
  template <class T>
  T get(std::uint64_t at) const TACTUS_RT;
  bool read_switch(std::uint64_t at, std::uint64_t size, EventRecord& record) const TACTUS_RT;
  ThreadName name_at(std::uint64_t at) const TACTUS_RT;
  void read_left(std::uint64_t at, std::uint64_t size, EventRecord& record) const TACTUS_RT;
  std::uint64_t read_code(std::uint64_t at, std::uint64_t size, EventRecord& record) const TACTUS_RT;

  std::span<const std::byte> ring_;
  EventIds ids_;
};

}  // namespace tactus::rtsync
