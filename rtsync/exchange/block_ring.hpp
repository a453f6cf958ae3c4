// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Moment at which the memory of a ring is made present.
enum class RingMemory {
  at_once,  ///< the constructor touches it: no end faults a page in
  as_used,  ///< each page when the writer comes to it, or make_present(): a short run uses little of it
};

/// A bounded ring of equal slots of bytes from one thread to one other. A full ring takes nothing: the writer
/// sees that, counts what it lost, and continues.
///
/// Threads  one writer (claim, publish), one reader (front, release).
/// RT       both ends wait-free; all memory is made by the constructor, and touched as RingMemory says.
///
/// `Atomic` is std::atomic, but in the model check of its tests.
template <template <class> class Atomic>
class BasicBlockRing {
 public:
  /// Constructs at least `slots` slots (rounded up to a power of two), each of `slot_bytes`. Throws
  /// std::invalid_argument for none of either, std::bad_alloc. @when setup
  BasicBlockRing(std::size_t slot_bytes, std::size_t slots, RingMemory memory = RingMemory::at_once)
      : stride_((slot_bytes + 7) / 8 * 8) {
    if (slot_bytes == 0 || slots == 0)
      throw std::invalid_argument("a ring needs slots, and they need a size");
    std::size_t rounded = 1;
    while (rounded < slots) rounded *= 2;
    mask_ = rounded - 1;
    // Zeros that the kernel makes when a page is used for the first time, where the ring is large.
    bytes_.reset(static_cast<std::byte*>(std::calloc(rounded, stride_)));
    if (bytes_ == nullptr) throw std::bad_alloc();
    if (memory == RingMemory::at_once) make_present();
  }
  BasicBlockRing(const BasicBlockRing&) = delete;
  BasicBlockRing& operator=(const BasicBlockRing&) = delete;

  /// Touches all memory. Before either end is used. @when setup
  void make_present() {
    constexpr std::size_t kLeastPage = 4096;
    auto* const bytes = static_cast<volatile std::byte*>(bytes_.get());
    for (std::size_t i = 0; i < stride_ * capacity(); i += kLeastPage) bytes[i] = std::byte{0};
    bytes[stride_ * capacity() - 1] = std::byte{0};
  }

  /// Returns where the next slot is to be written, or nullptr when the ring is full.               @when rt
  std::byte* claim() TACTUS_RT {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_seen_ > mask_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head - tail_seen_ > mask_) return nullptr;
    }
    return at(head);
  }
  /// Hands the claimed slot to the reader.                                                         @when rt
  void publish() TACTUS_RT {
    head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// The oldest unread slot, or nullptr when there is none.
  const std::byte* front() TACTUS_RT {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return nullptr;
    return at(tail);
  }
  /// Gives the front slot back to the writer.
  void release() TACTUS_RT {
    tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::size_t capacity() const TACTUS_RT { return mask_ + 1; }
  /// Unread slots; while a thread is at work, as many as there were a moment ago.
  std::size_t size() const TACTUS_RT {
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::byte* at(std::uint64_t index) TACTUS_RT { return bytes_.get() + (index & mask_) * stride_; }

  std::size_t stride_;
  std::size_t mask_ = 0;
  std::unique_ptr<std::byte[], Free> bytes_;
  // Writer and reader each on a cache line of their own.
  alignas(64) Atomic<std::uint64_t> head_{0};
  std::uint64_t tail_seen_ = 0;  // the writer's last look at tail_
  alignas(64) Atomic<std::uint64_t> tail_{0};
};

using BlockRing = BasicBlockRing<std::atomic>;

/// A BlockRing of values.
template <class T>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>, "what crosses threads here is copied as bytes");

 public:
  explicit SpscRing(std::size_t slots) : ring_(sizeof(T), slots) {}

  /// False, and nothing is stored, when the ring is full.                                          @when rt
  [[nodiscard]] bool push(const T& value) TACTUS_RT {
    std::byte* slot = ring_.claim();
    if (slot == nullptr) return false;
    std::memcpy(slot, &value, sizeof(T));
    ring_.publish();
    return true;
  }
  /// False when there is nothing to take.
  [[nodiscard]] bool pop(T& value) TACTUS_RT {
    const std::byte* slot = ring_.front();
    if (slot == nullptr) return false;
    std::memcpy(&value, slot, sizeof(T));
    ring_.release();
    return true;
  }
  std::size_t capacity() const TACTUS_RT { return ring_.capacity(); }

 private:
  BlockRing ring_;
};

}  // namespace tactus::rtsync
