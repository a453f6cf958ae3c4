// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Values of some variables after every frame, on their way to one reader. When the ring is full, the new
/// frame is lost; its number is missing then.
///
/// Threads  take(): the rig's main thread. front(), release(): one reader.
/// RT       take(): wait-free; one copy for each piece.
class LiveTap {
 public:
  struct Piece {
    const void* from = nullptr;
    std::size_t bytes = 0;
  };
  /// Mark before the values.
  struct Mark {
    std::int64_t frame = 0;
    std::uint64_t number = 0;  ///< counts up with every frame, also with one that was lost
  };

  /// The values are in a record as the pieces do here, one after the other. All memory is touched here.
  /// @when service
  LiveTap(std::span<const Piece> pieces, std::size_t slots);

  void take(std::int64_t frame) TACTUS_RT;
  /// The oldest that was not released: the mark, then the values; nullptr: there is none.
  const std::byte* front() TACTUS_RT { return ring_.front(); }
  void release() TACTUS_RT { ring_.release(); }

  /// Cost of take() in a frame, with nothing of it in the cache: an upper estimate.
  rtsync::Nanoseconds cost() const TACTUS_RT { return cost_; }
  std::size_t slots() const TACTUS_RT { return ring_.capacity(); }

 private:
  struct Copy {
    const void* from;
    std::uint32_t bytes;
    std::uint32_t offset;
  };

  std::vector<Copy> words_;  // of eight bytes
  std::vector<Copy> others_;
  rtsync::BlockRing ring_;
  std::uint64_t number_ = 0;  // the frames' own
  rtsync::Nanoseconds cost_{0};
};

/// The taps of a rig: their list changes while frames run.
///
/// Threads  take(), adopt(): the rig's main thread. The rest: one service thread at a time.
/// RT       take(), adopt(): wait-free; a branch while there are none.
class LiveTaps {
 public:
  LiveTaps() = default;
  LiveTaps(const LiveTaps&) = delete;
  LiveTaps& operator=(const LiveTaps&) = delete;

  void take(std::int64_t frame) TACTUS_RT {
    adopt();
    if (current_ == nullptr) return;
    for (const std::shared_ptr<LiveTap>& tap : current_->taps) tap->take(frame);
  }
  /// Goes over to the newest list.
  void adopt() TACTUS_RT {
    if (offered_.load(std::memory_order_relaxed) == nullptr) return;
    current_ = offered_.exchange(nullptr, std::memory_order_acq_rel);
    adopted_.store(current_->generation, std::memory_order_release);
  }

  void add(std::shared_ptr<LiveTap> tap);
  /// Its memory stays until the frames have gone over to a list without it.
  void remove(const std::shared_ptr<LiveTap>& tap);
  /// Those that are filled, or soon will be.
  const std::vector<std::shared_ptr<LiveTap>>& all() const { return taps_; }
  /// Lists that the frames may still use.
  std::size_t lists() const { return lists_.size(); }

 private:
  struct List {
    std::uint64_t generation = 0;
    std::vector<std::shared_ptr<LiveTap>> taps;
  };
  void offer();

  std::vector<std::shared_ptr<LiveTap>> taps_;
  std::deque<std::unique_ptr<List>> lists_;
  std::uint64_t generations_ = 0;
  std::atomic<List*> offered_{nullptr};
  std::atomic<std::uint64_t> adopted_{0};
  List* current_ = nullptr;  // the frames' own
};

}  // namespace tactus::executive
