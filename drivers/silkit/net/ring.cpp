// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/ring.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::silkit {
namespace {

constexpr std::size_t kMask = RingMemory::kBytes - 1;
constexpr std::uint32_t kAwake = 0;
constexpr std::uint32_t kSleeps = 1;
constexpr std::uint32_t kSleepsForUrgent = 2;
static_assert((RingMemory::kBytes & kMask) == 0);

}  // namespace

// Who waits says so and then looks once more; who has changed something looks then whether the other one waits. All
// four are sequentially consistent: at least one of the two sees what the other one has done.

std::size_t RingWriter::room() {
  const std::uint64_t read = memory_.read.load(std::memory_order_acquire);
  if (read - read_ > written_ - read_) throw WireError("the ring is damaged: more was read than was written");
  read_ = read;
  return RingMemory::kBytes - static_cast<std::size_t>(written_ - read_);
}

std::size_t RingWriter::write(ByteView bytes) {
  std::size_t free = RingMemory::kBytes - static_cast<std::size_t>(written_ - read_);
  if (free < bytes.size()) free = room();
  const std::size_t size = std::min(free, bytes.size());
  if (size == 0) return 0;
  const std::size_t at = static_cast<std::size_t>(written_) & kMask;
  const std::size_t first = std::min(size, RingMemory::kBytes - at);
  std::memcpy(memory_.bytes + at, bytes.data(), first);
  std::memcpy(memory_.bytes, bytes.data() + first, size - first);
  written_ += size;
  memory_.written.store(written_);
  return size;
}

bool RingWriter::has_to_wake(bool urgent) {
  const std::uint32_t sleeps = memory_.reader_sleeps.load();
  return sleeps != kAwake && (urgent || sleeps != kSleepsForUrgent) &&
         memory_.reader_sleeps.exchange(kAwake) != kAwake;
}

bool RingWriter::wait_for_room() {
  memory_.writer_waits.store(1);
  return memory_.read.load() == read_;
}

bool RingWriter::may_have_room() const {
  return memory_.written.load(std::memory_order_relaxed) - memory_.read.load(std::memory_order_relaxed) !=
         RingMemory::kBytes;
}

std::size_t RingReader::read(std::span<std::byte> to) {
  const std::uint64_t there = memory_.written.load(std::memory_order_acquire) - read_;
  if (there > RingMemory::kBytes)
    throw WireError("the ring is damaged: it says that it holds more than fits");
  const std::size_t size = std::min(static_cast<std::size_t>(there), to.size());
  if (size == 0) return 0;
  const std::size_t at = static_cast<std::size_t>(read_) & kMask;
  const std::size_t first = std::min(size, RingMemory::kBytes - at);
  std::memcpy(to.data(), memory_.bytes + at, first);
  std::memcpy(to.data() + first, memory_.bytes, size - first);
  read_ += size;
  memory_.read.store(read_);
  return size;
}

bool RingReader::has_to_wake() {
  return memory_.writer_waits.load() != 0 && memory_.writer_waits.exchange(0) != 0;
}

bool RingReader::fall_asleep(bool urgent_only) {
  memory_.reader_sleeps.store(urgent_only ? kSleepsForUrgent : kSleeps);
  return memory_.written.load() == read_;
}

}  // namespace tactus::silkit
