// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_ring_reader.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace tactus::executive {
namespace {

/// The oldest record that is not being replaced.
std::uint64_t oldest_in(const FlightRingHead& head) {
  const std::uint64_t begun = head.begun.load(std::memory_order_relaxed);
  return begun > head.capacity ? begun - head.capacity : 0;
}

/// Copies the records from `first` on. Those before the one that it returns may be torn.
std::uint64_t copy_records(const FlightRingHead& head, const FlightCell* cells, std::uint64_t first,
                           std::span<FlightRecord> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const FlightCell& cell = cells[(first + i) % head.capacity];
    to[i] = FlightRecord::from(cell.value.load(std::memory_order_relaxed),
                               cell.what.load(std::memory_order_relaxed));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return oldest_in(head);
}

}  // namespace

FlightRingReader::FlightRingReader(const FlightRingHead& head, const FlightCell* cells, std::uint64_t first)
    : head_(head), cells_(cells), end_(head.whole.load(std::memory_order_acquire)) {
  const std::uint64_t held = end_ > head.capacity ? end_ - head.capacity : 0;
  next_ = std::min(std::max({held, oldest_in(head), first}), end_);
}

bool FlightRingReader::fill() {
  chunk_at_ = chunk_size_ = 0;
  while (next_ < end_) {
    const std::uint64_t size = std::min<std::uint64_t>(chunk_.size(), end_ - next_);
    const std::uint64_t oldest = std::min(copy_records(head_, cells_, next_, {chunk_.data(), size}), end_);
    if (oldest <= next_) {
      chunk_size_ = size;
      return true;
    }
    lost_ += oldest - next_;  // of the chunk, too, some may be torn: read it again from there
    next_ = oldest;
  }
  return false;
}

std::optional<FlightRecord> FlightRingReader::next() {
  if (chunk_at_ == chunk_size_ && !fill()) return std::nullopt;
  ++next_;
  return chunk_[chunk_at_++];
}

FlightRingBackReader::FlightRingBackReader(const FlightRingHead& head, const FlightCell* cells)
    : head_(head), cells_(cells), next_(head.whole.load(std::memory_order_acquire)) {}

bool FlightRingBackReader::fill() {
  const std::uint64_t size = std::min<std::uint64_t>({chunk_.size(), next_, head_.capacity});
  const std::uint64_t first = next_ - size;
  const std::uint64_t oldest = std::max(copy_records(head_, cells_, first, {chunk_.data(), size}), first);
  if (oldest >= next_) return false;
  std::copy(chunk_.begin() + static_cast<std::ptrdiff_t>(oldest - first),
            chunk_.begin() + static_cast<std::ptrdiff_t>(size), chunk_.begin());
  chunk_size_ = next_ - oldest;
  return true;
}

std::optional<FlightRecord> FlightRingBackReader::next() {
  if (chunk_size_ == 0 && !fill()) return std::nullopt;
  --next_;
  return chunk_[--chunk_size_];
}

}  // namespace tactus::executive
