// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/event_follower.hpp"

#include <atomic>
#include <utility>

namespace tactus::rtsync {
namespace {

/// Amount that the kernel may be writing ahead of what it has published.
constexpr std::uint64_t kBeingWritten = 4096;

}  // namespace

EventFollower::EventFollower(std::shared_ptr<const KernelEvents> events)
    : events_(std::move(events)), thread_at_(events_->threads()), cpu_at_(events_->cpus()) {}

/// Fills batch_. The reader may give the memory back meanwhile, and the kernel write there: then it is empty,
/// and false.
bool EventFollower::read(const EventRing& ring, std::uint64_t& at) {
  batch_.clear();
  if (!ring.is_open()) return true;
  const std::uint64_t head = ring.head();
  const std::uint64_t oldest = ring.oldest();  // nothing behind it is written over
  if (at < oldest && head - at + kBeingWritten > ring.size()) at = oldest;
  const std::uint64_t began = at;
  const EventBytes bytes = ring.bytes();
  EventRecord record;
  while (at < head && bytes.next(at, head, record)) batch_.push_back(record);
  at = head;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (ring.head() - began + kBeingWritten <= ring.size() || ring.oldest() <= began) return true;
  batch_.clear();
  return false;
}

void EventFollower::follow(const Taker& taker) {
  for (std::size_t i = 0; i < thread_at_.size(); ++i) {
    if (!read(events_->ring(i), thread_at_[i])) ++gaps_;
    for (const EventRecord& record : batch_) taker.of_thread(i, record);
  }
  for (std::size_t i = 0; i < cpu_at_.size(); ++i) {
    if (!read(events_->cpu_ring(i), cpu_at_[i])) ++gaps_;
    for (const EventRecord& record : batch_) taker.of_cpu(record);
  }
}

}  // namespace tactus::rtsync
