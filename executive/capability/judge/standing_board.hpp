// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/capability/judge/sequence_run.hpp"
#include "executive/capability/judge/standing.hpp"
#include "executive/frame/slack.hpp"
#include "rtsync/exchange/latest_index.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// The standings of all expectations, and of the steps of the sequence after them, at the end of one frame, for a thread outside the frames. They are copied only
/// after they were asked for: a frame that nobody asks costs one load.
///
/// Threads  ask(), read(): one outside; publish(): the rig's main thread.
/// RT       publish(): wait-free; all memory is made by the constructor.
class StandingBoard {
 public:
  struct Copy {
    std::int64_t frame = -1;  ///< the last one that was judged
    std::int64_t frames = 0;  ///< frames that were judged
    std::vector<Standing> standings{};
  };

  /// @when setup
  explicit StandingBoard(std::size_t rows) {
    for (Copy& each : copies_) each.standings.resize(rows);
  }

  /// Asks for a copy. A frame that ends after this call makes it, or a later one where the slack is too short.
  void ask() { asked_.store(true, std::memory_order_release); }
  /// The newest copy, which stays as it is until the next call; nullptr: none is newer than that of the last call.
  const Copy* read() { return index_.take() ? &copies_[index_.reading()] : nullptr; }

  /// Makes the copy that was asked for, if it fits into the slack; nullptr: the rig is paused, and there is time.
  void publish(std::int64_t frame, std::int64_t frames, const std::vector<Monitor>& monitors,
               const SequenceRun& sequence, Slack* slack) TACTUS_RT {
    if (!asked_.load(std::memory_order_acquire)) return;
    const auto copy = [&]() TACTUS_RT {
      asked_.store(false, std::memory_order_relaxed);
      Copy& made = copies_[index_.writing()];
      made.frame = frame;
      made.frames = frames;
      for (std::size_t i = 0; i < monitors.size(); ++i) made.standings[i] = standing_of(monitors[i]);
      sequence.stand(made.standings.data() + monitors.size());
      index_.publish();
    };
    if (slack == nullptr)
      copy();
    else
      (void)slack->spend(cost_, copy);
  }

 private:
  std::atomic<bool> asked_{false};
  std::array<Copy, 3> copies_{};
  rtsync::LatestIndex index_{};
  SlackCost cost_{};
};

}  // namespace tactus::executive
