#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// The latest of something big, as LatestCell but of a size that is known at setup: the writer fills a block
/// in place, the reader reads one in place.
///
/// Threads  one writer (writable, publish), one reader (read).
/// RT       both wait-free; all memory is made and touched by the constructor.
class LatestBlock {
 public:
  /// @when setup
  explicit LatestBlock(std::size_t bytes) : buffers_{Buffer(bytes), Buffer(bytes), Buffer(bytes)} {}
  LatestBlock(const LatestBlock&) = delete;
  LatestBlock& operator=(const LatestBlock&) = delete;

  /// The block that is to be filled; what it holds is old.
  std::byte* writable() TACTUS_RT { return buffers_[writing_].data(); }
  void publish() TACTUS_RT {
    writing_ =
        middle_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel) & kIndex;
  }
  /// The newest block, which stays as it is until the next call; nullptr when there is no newer one than last
  /// time.
  const std::byte* read() TACTUS_RT {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return nullptr;
    reading_ = middle_.exchange(reading_, std::memory_order_acq_rel) & kIndex;
    return buffers_[reading_].data();
  }

 private:
  using Buffer = std::vector<std::byte>;
  static constexpr std::uint8_t kIndex = 3;
  static constexpr std::uint8_t kFresh = 4;
  Buffer buffers_[3];
  std::uint8_t writing_ = 0;
  std::uint8_t reading_ = 1;
  std::atomic<std::uint8_t> middle_{2};
};

}  // namespace tactus::rtsync
