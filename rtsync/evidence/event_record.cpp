// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_record.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus::rtsync {
namespace {

// What follows from sample_type IDENTIFIER | TID | TIME | CPU, and sample_id_all.
constexpr std::uint64_t kHeader = 8;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kSample = kHeader + 4 * kWord;  // id, thread, time, cpu
constexpr std::uint64_t kTrailer = 4 * kWord;           // thread, time, cpu, id
constexpr std::uint64_t kRawSize = 4;                   // before what a tracepoint writes

EventRecord::Kind kind_of(std::uint64_t id, const EventIds& ids) TACTUS_RT {
  using Kind = EventRecord::Kind;
  if (id == ids.alive) return Kind::alive;
  if (id == ids.minor_fault || id == ids.other_minor_fault) return Kind::minor_fault;
  if (id == ids.major_fault) return Kind::major_fault;
  if (id == ids.irq_begin) return Kind::irq_begin;
  if (id == ids.irq_end) return Kind::irq_end;
  if (id == ids.softirq_begin) return Kind::softirq_begin;
  if (id == ids.softirq_end) return Kind::softirq_end;
  if (id == ids.left) return Kind::left;
  return Kind::other;
}

/// The interrupts that have a name alone; most samples are none of them.
void name_vector(std::uint64_t id, const EventIds& ids, EventRecord& record) TACTUS_RT {
  for (std::size_t i = 0; i < ids.vectors.size(); ++i) {
    const bool begins = id == ids.vectors[i].begin;
    if (!begins && id != ids.vectors[i].end) continue;
    record.kind = begins ? EventRecord::Kind::vector_begin : EventRecord::Kind::vector_end;
    record.number = static_cast<std::int32_t>(i);
    return;
  }
}

}  // namespace

template <class T>
T EventBytes::get(std::uint64_t at) const TACTUS_RT {
  // Records are aligned to 8 bytes, and so is the ring: no word is cut.
  T value{};
  std::memcpy(&value, &ring_[at & (ring_.size() - 1)], sizeof value);
  return value;
}

ThreadName EventBytes::name_at(std::uint64_t at) const TACTUS_RT {
  ThreadName name{};
  for (std::size_t i = 0; i < name.size(); i += 4) {
    const auto part = get<std::uint32_t>(at + i);
    std::memcpy(&name[i], &part, sizeof part);
  }
  name.back() = '\0';
  return name;
}

/// Reads a record of sched_switch. False: the record is too short.
bool EventBytes::read_switch(std::uint64_t at, std::uint64_t size, EventRecord& record) const TACTUS_RT {
  // <linux/sched.h>: what prev_state has of a thread that is not ready; and that it was pushed off.
  constexpr std::uint32_t kAway = 0xff;
  constexpr std::uint32_t kStopped = 4;
  constexpr std::uint32_t kTraced = 8;
  const std::uint64_t raw = at + kSample + kRawSize;
  const SwitchTracepoint& places = ids_.switched;
  const std::uint64_t longest = std::max({places.thread, places.priority, places.state, places.next,
                                          places.next_priority, places.name + 12, places.next_name + 12});
  if (size < kSample + kRawSize + longest + 4) return false;
  const auto state = get<std::uint32_t>(raw + places.state);
  record.kind = (state & kAway) == 0 ? EventRecord::Kind::preempted : EventRecord::Kind::off;
  record.stop = (state & kTraced) != 0    ? EventRecord::Stop::traced
                : (state & kStopped) != 0 ? EventRecord::Stop::signalled
                                          : EventRecord::Stop::none;
  record.thread = get<std::int32_t>(raw + places.thread);
  record.priority = static_cast<std::int16_t>(get<std::int32_t>(raw + places.priority));
  record.next = get<std::int32_t>(raw + places.next);
  record.next_priority = static_cast<std::int16_t>(get<std::int32_t>(raw + places.next_priority));
  record.name = name_at(raw + places.name);
  record.next_name = name_at(raw + places.next_name);
  return true;
}

/// Registers: which kind, and those that were asked for, in the order of their numbers. Returns where they end; 0: there
/// are none.
std::uint64_t EventBytes::read_code(std::uint64_t at, std::uint64_t size,
                                    EventRecord& record) const TACTUS_RT {
  const CallRegisters& by = ids_.call_registers;
  const std::uint64_t before = (by.no_system_call ? kWord : 0) + (by.next_instruction ? kWord : 0);
  const std::uint64_t registers = at + kSample;
  const std::uint64_t behind = kSample + 2 * kWord + before;
  if (size < behind || get<std::uint64_t>(registers) == PERF_SAMPLE_REGS_ABI_NONE) return 0;
  record.code = get<std::uint64_t>(registers + kWord + before);
  if (!by.any()) return behind;
  const bool called = !by.no_system_call || get<std::int64_t>(registers + kWord) == -ENOSYS;
  const bool entered = !by.next_instruction || get<std::uint64_t>(registers + before) == record.code;
  record.in_call = called && entered ? EventRecord::InCall::yes : EventRecord::InCall::no;
  return behind;
}

/// The registers, then the stack.
void EventBytes::read_left(std::uint64_t at, std::uint64_t size, EventRecord& record) const TACTUS_RT {
  record.number = -1;
  const std::uint64_t behind = read_code(at, size, record);
  if (behind == 0) return;
  const std::uint64_t stack = stack_bytes(ids_.call);  // behind it stands how much of it could be read
  const std::uint64_t from = behind + kWord;           // behind its size
  if (record.code == ids_.call.code && stack != 0 && size >= from + stack + kWord &&
      get<std::uint64_t>(at + from + stack) == stack)
    record.number = get<std::int32_t>(at + from + ids_.call.offset);
}

bool EventBytes::next(std::uint64_t& from, std::uint64_t to, EventRecord& record) const TACTUS_RT {
  if (from % kWord != 0 || to < from + kHeader || to - from > ring_.size()) return false;
  const auto header = get<perf_event_header>(from);
  const std::uint64_t size = header.size;
  if (size < kHeader || size % kWord != 0 || size > to - from) return false;
  record = {};
  std::uint64_t id_at = from + kHeader;  // where thread, time and cpu stand
  switch (header.type) {
    case PERF_RECORD_SAMPLE: {
      if (size < kSample) return false;
      const auto id = get<std::uint64_t>(from + kHeader);
      id_at += kWord;
      record.in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
      if (id != 0) record.kind = kind_of(id, ids_);
      if (id != 0 && record.kind == EventRecord::Kind::other) name_vector(id, ids_, record);
      const bool irq =
          record.kind == EventRecord::Kind::irq_begin || record.kind == EventRecord::Kind::irq_end;
      const bool softirq =
          record.kind == EventRecord::Kind::softirq_begin || record.kind == EventRecord::Kind::softirq_end;
      const std::uint64_t number = kSample + kRawSize + (irq ? ids_.irq_offset : ids_.softirq_offset);
      if ((irq || softirq) && number % sizeof record.number == 0 && number + sizeof record.number <= size)
        record.number = get<std::int32_t>(from + number);
      if (record.kind == EventRecord::Kind::left) read_left(from, size, record);
      if (record.kind == EventRecord::Kind::alive && record.in_kernel && ids_.signs_have_code)
        (void)read_code(from, size, record);
      if (id != 0 && id == ids_.switched.id && !read_switch(from, size, record)) return false;
      break;
    }
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE: {
      const std::uint64_t body = header.type == PERF_RECORD_SWITCH ? 0 : kWord;
      if (size < kHeader + body + kTrailer) return false;
      id_at += body;
      if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) == 0)
        record.kind = EventRecord::Kind::on;
      else
        record.kind = (header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0 ? EventRecord::Kind::preempted
                                                                               : EventRecord::Kind::off;
      if (body != 0 && record.kind != EventRecord::Kind::on)
        record.next = get<std::int32_t>(from + kHeader + 4);
      break;
    }
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
      if (size < kHeader + kTrailer) return false;
      record.kind = header.type == PERF_RECORD_THROTTLE     ? EventRecord::Kind::limited
                    : header.type == PERF_RECORD_UNTHROTTLE ? EventRecord::Kind::unlimited
                                                            : EventRecord::Kind::lost;
      // A throttled stream of switches has lost some. Its id follows the time: perf_event_open(2).
      if (record.kind == EventRecord::Kind::limited && size >= kHeader + 3 * kWord + kTrailer &&
          ids_.switched.id != 0 && get<std::uint64_t>(from + kHeader + kWord) == ids_.switched.id)
        record.kind = EventRecord::Kind::lost;
      id_at = from + size - kTrailer;
      break;
    default:
      from += size;
      return true;
  }
  // What has ended has no number any more, but in what the tracepoint writes.
  if (record.priority == kNoPriority) record.thread = get<std::int32_t>(id_at + 4);
  record.at = TimePoint<MonotonicTime>{Nanoseconds{get<std::int64_t>(id_at + kWord)} + ids_.shift};
  // The address of a fault comes before the CPU.
  const bool has_address = header.type == PERF_RECORD_SAMPLE && ids_.has_address && size >= kSample + kWord;
  if (has_address) record.address = get<std::uint64_t>(id_at + 2 * kWord);
  record.cpu = get<std::uint32_t>(id_at + (has_address ? 3 : 2) * kWord);
  from += size;
  return true;
}

}  // namespace tactus::rtsync
