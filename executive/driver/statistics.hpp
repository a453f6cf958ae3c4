// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/driver/lifecycle.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Values that are handed out at the end of every frame, for the status line.
struct RigFigures {
  /// Number of frames before this instant: a reset or a loaded checkpoint sets it back.
  std::int64_t frames = 0;
  std::int64_t heartbeats = 0;  ///< frames and freeze frames: counted as long as the rig lives
  std::int64_t sim_time_ns = 0;
  rtsync::FrameTiming timing;
  rtsync::RealtimeTotals totals;
  rtsync::Maximum reached = rtsync::Maximum::none;  ///< maximum of the overrun policy
  State state = State::connect;
  bool clock_fault = false;      ///< paused because of the external clock
  bool episode = false;          ///< paused because an episode has ended
  std::int64_t frames_run = 0;   ///< number of frames since the start, whatever was set back
  std::int64_t models_lost = 0;  ///< isolated ones whose processes have ended
};
static_assert(sizeof(RigFigures) <= 256,
              "each frame writes it: beyond four lines of a cache this takes 10 ns more");

}  // namespace tactus::executive
