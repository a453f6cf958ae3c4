// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_record.hpp"

#include <linux/perf_event.h>

#include <cstring>

namespace tactus::rtsync {
namespace {

// What follows from sample_type IDENTIFIER | TID | TIME | CPU, and sample_id_all.
constexpr std::uint64_t kHeader = 8;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kSample = kHeader + 4 * kWord;  // id, thread, time, cpu
constexpr std::uint64_t kTrailer = 4 * kWord;           // thread, time, cpu, id
constexpr std::uint64_t kRawSize = 4;                   // before what a tracepoint writes
constexpr std::uint64_t kRegisters = 2 * kWord;  // REGS_USER: which kind, and the one that is asked for
constexpr std::uint64_t kStack = kSample + kRegisters + kWord;  // STACK_USER: behind its size

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
      if (record.kind == EventRecord::Kind::left) {
        record.number = -1;
        if (size < kSample + kRegisters || get<std::uint64_t>(from + kSample) == PERF_SAMPLE_REGS_ABI_NONE)
          break;
        record.code = get<std::uint64_t>(from + kSample + kWord);
        const std::uint64_t stack = stack_bytes(ids_.call);  // behind it stands how much of it could be read
        if (record.code == ids_.call.code && stack != 0 && size >= kStack + stack + kWord &&
            get<std::uint64_t>(from + kStack + stack) == stack)
          record.number = get<std::int32_t>(from + kStack + ids_.call.offset);
      }
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
      id_at = from + size - kTrailer;
      break;
    default:
      from += size;
      return true;
  }
  record.thread = get<std::int32_t>(id_at + 4);
  record.at = TimePoint<MonotonicTime>{Nanoseconds{get<std::int64_t>(id_at + kWord)}};
  record.cpu = get<std::uint32_t>(id_at + 2 * kWord);
  from += size;
  return true;
}

}  // namespace tactus::rtsync
