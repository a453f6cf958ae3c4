// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/sign_reader.hpp"

#include <algorithm>

namespace tactus::rtsync {

SignReader::SignReader(std::span<SignRing> rings, std::int32_t thread, ThreadTimes& times) TACTUS_RT
    : rings_(rings),
      thread_(thread),
      times_(times) {
  for (SignRing& ring : rings_) find_next(ring);
}

void SignReader::find_next(SignRing& ring) TACTUS_RT {
  using Kind = EventRecord::Kind;
  ring.next.reset();
  EventRecord record;
  while (ring.at < ring.head) {
    if (!ring.bytes.next(ring.at, ring.head, record)) return times_.miss_signs();
    const bool sign = record.kind == Kind::alive && record.thread == thread_;
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
      times_.add(*first->next);
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
  for (const SignRing& ring : rings_)
    if (ring.next && ring.next->kind == EventRecord::Kind::lost) times_.miss_signs();
}

}  // namespace tactus::rtsync
