// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Bytes from one process to another through memory that both have. Nothing that is there is believed: places
/// and numbers of bytes are worked out from own copies, and what cannot be ends the connection.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {

/// One direction: before the bytes are the numbers of bytes ever written and read, and which side waits for
/// which. Zeros are an empty ring in which no side waits.
struct RingMemory {
  static constexpr std::size_t kBytes = 128U << 10;  // a power of two

  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) std::atomic<std::uint32_t> reader_sleeps;  ///< 1, or 2: and waits for something else
  alignas(64) std::atomic<std::uint32_t> writer_waits;
  alignas(64) std::byte bytes[kBytes];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

/// Threads  one at a time, but for may_have_room: any.
class RingWriter {
 public:
  explicit RingWriter(RingMemory& memory) : memory_(memory) {}

  /// Writes, and returns how many of the bytes there was room for. Throws WireError for a ring that is
  /// damaged.
  std::size_t write(ByteView bytes);
  /// True, after write(), if the reader sleeps and has to be woken; `urgent`: also if it waits for something
  /// else. True once per sleep.
  bool has_to_wake(bool urgent);
  /// Asks the reader for a wake when there is room. False: there is some already.
  bool wait_for_room();
  bool may_have_room() const;

 private:
  std::size_t room();

  RingMemory& memory_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;  ///< value at the last look
};

/// Threads  one at a time.
class RingReader {
 public:
  explicit RingReader(RingMemory& memory) : memory_(memory) {}

  bool has_bytes() const { return memory_.written.load(std::memory_order_acquire) != read_; }
  /// Reads, and returns how many bytes were put into `to`. Throws WireError for a ring that is damaged.
  std::size_t read(std::span<std::byte> to);
  /// True, after read(), if the writer waits for room and has to be woken.
  bool has_to_wake();
  /// Asks the writer for a wake, or for one when it has something urgent. False: there are bytes already.
  bool fall_asleep(bool urgent_only);
  void wake_up() { memory_.reader_sleeps.store(0, std::memory_order_relaxed); }

 private:
  RingMemory& memory_;
  std::uint64_t read_ = 0;
};

}  // namespace tactus::silkit
