// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Figures of a thing that is switched.
struct SwitchFigures {
  std::int64_t frames = 0;             ///< frames in which it had its effect
  std::int64_t first = -1, last = -1;  ///< the first and the last of them; -1: none

  /// Adds all frames from one to another. @when rt
  void add(std::int64_t from, std::int64_t to) TACTUS_RT {
    if (to < from) return;
    if (first < 0) first = from;
    last = to;
    frames += to - from + 1;
  }
};

/// Log of what began or ended in which frame, from the frames to the service thread.
///
/// Threads  add: main; take, lost: one other.
/// RT       add.
class SwitchLog {
 public:
  struct Event {
    std::int64_t frame = 0;
    std::uint32_t number = 0;  ///< place in Plan::switches
    std::uint32_t on = 0;
  };

  void add(std::int64_t frame, std::uint32_t number, bool on) TACTUS_RT {
    if (!ring_.push({frame, number, on ? 1U : 0U})) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  std::optional<Event> take() {
    Event event;
    return ring_.pop(event) ? std::optional(event) : std::nullopt;
  }
  std::int64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  rtsync::SpscRing<Event> ring_{1024};
  std::atomic<std::int64_t> lost_{0};
};

}  // namespace tactus::executive
