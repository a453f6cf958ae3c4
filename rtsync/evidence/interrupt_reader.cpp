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
  outside_ = Nanoseconds{0};
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
  const Nanoseconds part = std::max(std::min(time, to_) - std::max(since_, from_), Nanoseconds{0});
  since_ = time;
  if (depth_ == 0) outside_ += part;
  if (depth_ == 0 || depth_ > running_.size()) return;
  const Running& now = running_[depth_ - 1];
  if (now.counts && part > Nanoseconds{0}) add_time(now.kind, now.number, part);
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

bool InterruptReader::counts(const EventRecord& record) const TACTUS_RT {
  if (record.thread == thread_) return true;
  return std::any_of(off_.begin(), off_.end(), [&](const ThreadTimes::Off& off) TACTUS_RT {
    return off.cpu == cpu_ && record.at >= off.from && record.at <= off.to;
  });
}

void InterruptReader::begin(Kind kind, const EventRecord& record) TACTUS_RT {
  count_up_to(record.at);
  // None interrupts itself: the end of the one before is missing.
  for (std::size_t i = 0; i < std::min(depth_, running_.size()); ++i)
    if (running_[i].kind == kind && running_[i].number == record.number) known_ = false;
  if (depth_ < running_.size()) running_[depth_] = {kind, record.number, counts(record)};
  ++depth_;
}

void InterruptReader::end(Kind kind, const EventRecord& record) TACTUS_RT {
  count_up_to(record.at);
  // It began before the first record, and had all the time that no other one had inside of it.
  if (depth_ == 0) {
    if (outside_ > Nanoseconds{0} && counts(record)) {
      add_time(kind, record.number, outside_);
      ++count_;
    }
    outside_ = Nanoseconds{0};
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
