// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/sign_reader.hpp"

#include <algorithm>
#include <utility>

namespace tactus::rtsync {

SignReader::SignReader(std::span<SignRing> rings, std::int32_t thread, ThreadTimes& times,
                       std::optional<EvidenceTime> restarted) TACTUS_RT : rings_(rings),
                                                                          thread_(thread),
                                                                          times_(times),
                                                                          restarted_(restarted) {
  for (SignRing& ring : rings_) {
    if (ring.full) find_end(ring);
    find_next(ring);
  }
}

/// Says from when on signs of the thread found no room.
void SignReader::find_end(SignRing& ring) TACTUS_RT {
  EventRecord record;
  for (std::uint64_t at = ring.at; at < ring.head && ring.bytes.next(at, ring.head, record);)
    ring.has_own |= record.kind == EventRecord::Kind::alive && record.thread == thread_;
  if (ring.has_own) times_.end_signs(record.at);
}

/// Returns by how much longer than its interval a sign took to come, if by less than another one.
Nanoseconds SignReader::late_of(SignRing& ring, EvidenceTime at) const TACTUS_RT {
  const Nanoseconds interval = times_.signs_interval();
  const std::optional<EvidenceTime> last = std::exchange(ring.last, at);
  if (!last || (restarted_ && *last < *restarted_ && at >= *restarted_)) return Nanoseconds{0};
  const Nanoseconds late = at - *last - interval;
  const Nanoseconds little = interval / 8;  // a timer is so late on any machine
  return late > little && late < interval ? late : Nanoseconds{0};
}

void SignReader::find_next(SignRing& ring) TACTUS_RT {
  using Kind = EventRecord::Kind;
  ring.next.reset();
  EventRecord record;
  while (ring.at < ring.head) {
    if (!ring.bytes.next(ring.at, ring.head, record)) return times_.miss_signs();
    const bool any = record.kind == Kind::alive;
    const bool sign = any && record.thread == thread_;
    if (any) ring.next_late = late_of(ring, record.at);
    if (record.kind == Kind::limited || record.kind == Kind::unlimited) ring.last.reset();
    if (!sign && record.kind != Kind::limited && record.kind != Kind::lost) continue;
    ring.next = record;
    return;
  }
}

void SignReader::add_signs_until(EvidenceTime time) TACTUS_RT {
  for (;;) {
    SignRing* first = nullptr;
    for (SignRing& ring : rings_)
      if (ring.next && ring.next->at <= time && (first == nullptr || ring.next->at < first->next->at))
        first = &ring;
    if (first == nullptr) return;
    seen_ = true;
    if (first->next->kind == EventRecord::Kind::alive)
      times_.add_late(*first->next, first->next_late);
    else
      times_.miss_signs(first->next->at);
    find_next(*first);
  }
}

void SignReader::add(const EventRecord& record) TACTUS_RT {
  add_signs_until(record.at);
  seen_ = true;
  if (record.kind == EventRecord::Kind::on &&
      std::none_of(rings_.begin(), rings_.end(),
                   [&](const SignRing& ring) TACTUS_RT { return ring.cpu == record.cpu; }))
    times_.miss_signs();
  times_.add(record);
}

void SignReader::finish(EvidenceTime to) TACTUS_RT {
  add_signs_until(to);
  if (!seen_) times_.miss_signs();
  // The kernel says that records were lost when the next one has room.
  for (const SignRing& ring : rings_) {
    if (ring.next && ring.next->kind == EventRecord::Kind::lost) times_.miss_signs();
    if (ring.full && !ring.has_own && times_.cpu() == ring.cpu) times_.miss_signs();
  }
}

}  // namespace tactus::rtsync
