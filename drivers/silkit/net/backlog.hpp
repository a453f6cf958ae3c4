// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Bytes that wait for a peer. Nothing but the memory limits them, so a peer that hardly reads is dropped in the end.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace tactus::silkit {

struct BacklogLimits {
  std::size_t bytes = 64U << 20;  ///< up to here they may wait for ever, and are not warned of
  /// Longest time with the oldest byte beyond that; 100 ns or more.
  std::chrono::nanoseconds patience{10'000'000'000};
  /// Bytes per second: a peer that reads as many is not dropped.
  static constexpr std::uint64_t kLeast = 1'000'000;
};

/// Judges one peer. Time that this participant spends elsewhere, in a handler or stopped, is not charged to the peer.
///
/// Threads  one at a time.
class Backlog {
 public:
  using Clock = std::chrono::steady_clock;
  struct Verdict {
    bool is_news = false;   ///< more than BacklogLimits::bytes wait, for the first time since few did
    bool is_stuck = false;  ///< the peer is to be dropped
    std::string words;      ///< "does not read: ..."; "" when there is nothing to be said
  };

  /// Returns how long after a look the next one is due, as long as bytes wait.
  static Clock::duration pause(const BacklogLimits& limits) { return limits.patience / 10; }
  /// `taken`: bytes that the peer has read since the stream began; `waiting`: those after them.
  Verdict look(const BacklogLimits& limits, Clock::time_point now, std::uint64_t taken, std::size_t waiting);

 private:
  struct Look {
    Clock::duration served;    ///< time in which the peer could have read
    std::uint64_t taken, end;  ///< bytes that it had read, and that it had been sent
  };
  std::deque<Look> looks_;
  std::optional<Clock::time_point> looked_;
  Clock::duration served_{0};
  bool is_known_ = false;
};

}  // namespace tactus::silkit
