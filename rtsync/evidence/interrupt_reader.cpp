// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/interrupt_reader.hpp"

#include <algorithm>

namespace tactus::rtsync {

void InterruptReader::begin_cpu(std::int32_t thread, std::uint32_t cpu,
                                std::span<const ThreadTimes::Off> off) TACTUS_RT {
  thread_ = thread;
  cpu_ = cpu;
  off_ = off;
  depth_ = 0;
  since_ = from_;
  outside_ = outside_off_ = Nanoseconds{0};
}

void InterruptReader::add(const EventRecord& record) TACTUS_RT {
  switch (record.kind) {
    case EventRecord::Kind::irq_begin:
      return begin(Kind::irq, record);
    case EventRecord::Kind::softirq_begin:
      return begin(Kind::softirq, record);
    case EventRecord::Kind::irq_end:
      return end(Kind::irq, record);
    case EventRecord::Kind::softirq_end:
      return end(Kind::softirq, record);
    case EventRecord::Kind::vector_begin:
      return begin(Kind::vector, record);
    case EventRecord::Kind::vector_end:
      return end(Kind::vector, record);
    case EventRecord::Kind::lost:
    case EventRecord::Kind::limited:
    case EventRecord::Kind::unlimited:
      known_ = false;
      return;
    default:
      return;
  }
}

/// The time since the last record belongs to the innermost.
void InterruptReader::count_up_to(TimePoint<MonotonicTime> time) TACTUS_RT {
  const TimePoint<MonotonicTime> begin = std::max(since_, from_), end = std::min(time, to_);
  since_ = time;
  if (end <= begin || depth_ > running_.size()) return;
  if (depth_ == 0) {
    outside_ += end - begin;
    outside_off_ += within_off(begin, end);
    return;
  }
  Running& now = running_[depth_ - 1];
  const Nanoseconds part = now.of_thread ? end - begin : within_off(begin, end);
  if (part <= Nanoseconds{0}) return;
  now.counts = true;
  add_time(now.kind, now.number, part);
}

/// The part of the time that the thread was off this CPU. Times come in their order: what is over is left out from then
/// on.
Nanoseconds InterruptReader::within_off(TimePoint<MonotonicTime> from,
                                        TimePoint<MonotonicTime> to) TACTUS_RT {
  while (!off_.empty() && off_.front().to <= from) off_ = off_.subspan(1);
  Nanoseconds sum{0};
  for (const ThreadTimes::Off& off : off_) {
    if (off.from >= to) break;
    if (off.cpu == cpu_) sum += std::min(off.to, to) - std::max(off.from, from);
  }
  return sum;
}

void InterruptReader::add_time(Kind kind, std::int32_t number, Nanoseconds part) TACTUS_RT {
  took_ += part;
  for (Source& source : sources_) {
    if (source.kind != Kind::none && (source.kind != kind || source.number != number)) continue;
    source.kind = kind;
    source.number = number;
    source.took += part;
    return;
  }
}

void InterruptReader::begin(Kind kind, const EventRecord& record) TACTUS_RT {
  count_up_to(record.at);
  // None interrupts itself: the end of the one before is missing.
  for (std::size_t i = 0; i < std::min(depth_, running_.size()); ++i)
    if (running_[i].kind == kind && running_[i].number == record.number) known_ = false;
  if (depth_ < running_.size()) {
    const bool of_thread = record.thread == thread_;
    running_[depth_] = {kind, record.number, of_thread, of_thread};
  }
  ++depth_;
}

void InterruptReader::end(Kind kind, const EventRecord& record) TACTUS_RT {
  count_up_to(record.at);
  // It began before the first record, and had all the time that no other one had inside of it.
  if (depth_ == 0) {
    const Nanoseconds took = record.thread == thread_ ? outside_ : outside_off_;
    if (took > Nanoseconds{0}) {
      add_time(kind, record.number, took);
      ++count_;
    }
    outside_ = outside_off_ = Nanoseconds{0};
    return;
  }
  --depth_;
  if (depth_ >= running_.size()) return;
  const Running& ended = running_[depth_];
  if (ended.kind != kind || ended.number != record.number) known_ = false;
  if (ended.counts && record.at > from_ && record.at <= to_) ++count_;
}

void InterruptReader::end_cpu() TACTUS_RT {
  count_up_to(to_);
  depth_ = 0;
}

std::optional<InterruptTimes> InterruptReader::times() const TACTUS_RT {
  if (!known_) return std::nullopt;
  const auto longest = std::max_element(sources_.begin(), sources_.end(),
                                        [](const Source& a, const Source& b) { return a.took < b.took; });
  return InterruptTimes{took_, count_, longest->kind, longest->number, longest->took};
}

}  // namespace tactus::rtsync
