// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "rtsync/exchange/latest_index.hpp"
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
  std::byte* writable() TACTUS_RT { return buffers_[index_.writing()].data(); }
  void publish() TACTUS_RT { index_.publish(); }
  /// The newest block, which stays as it is until the next call; nullptr when there is no newer one than last
  /// time.
  const std::byte* read() TACTUS_RT { return index_.take() ? buffers_[index_.reading()].data() : nullptr; }

 private:
  using Buffer = std::vector<std::byte>;
  Buffer buffers_[3];
  LatestIndex index_;
};

}  // namespace tactus::rtsync
