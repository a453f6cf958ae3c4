// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/signals.hpp"

namespace tactus::drivers::link {

/// Messages that came in and whose frame has not begun, in the order in which they are applied: by stamp,
/// subscription, arrival; by arrival alone where stamps do not count.
///
/// A frame in real time takes over kTakenPerFrame messages at most: what comes in a flood waits in the inbox
/// for the frames after, or is lost there. A frame that is not takes all there are: its work has no limit,
/// and nothing depends on which was faster.
///
/// Threads  one.
/// RT       everything but the constructor.
class Pending {
 public:
  static constexpr std::size_t kTakenPerFrame = 256;

  /// Keeps `queue` messages from frame to frame. @when setup
  Pending(const Signals& signals, std::size_t queue, std::size_t inbox_slots);

  /// Takes over what is in the inbox. `stamped`: stamps count; else no message does, and all is to be popped
  /// before the next call. `paced`: no more than kTakenPerFrame.
  void take(rtsync::BlockRing& inbox, bool stamped, bool paced) TACTUS_RT;
  /// The first one, or nullptr.
  const Incoming* front() const TACTUS_RT { return first_ == last_ ? nullptr : &heads_[order_[first_]]; }
  const std::byte* block() const TACTUS_RT { return blocks_.data() + order_[first_] * stride_; }
  void pop() TACTUS_RT { free_[free_count_++] = order_[first_++]; }
  /// Drops what is more than fits, the last ones; how many.
  std::int64_t trim() TACTUS_RT;

 private:
  void make_room(std::size_t more) TACTUS_RT;
  void merge(std::size_t taken) TACTUS_RT;

  std::vector<std::size_t> bytes_;  // of a block, by subscription, then by network
  std::size_t queue_;
  std::size_t stride_;
  std::vector<Incoming> heads_;
  std::vector<std::byte> blocks_;
  std::vector<std::uint32_t> free_;
  std::size_t free_count_;
  std::vector<std::uint32_t> taken_;  // places, of this frame
  std::vector<std::uint32_t> order_;  // places, sorted from first_ to last_
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace tactus::drivers::link
