// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cassert>
#include <cstdint>

#include "executive/driver/lifecycle.hpp"
#include "executive/driver/statistics.hpp"
#include "executive/frame/frame_part.hpp"
#include "rtsync/exchange/latest_cell.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// State of a rig's main thread for other threads: its state, whether it is at work, its heartbeat, and a
/// snapshot of the last frame.
///
/// Threads  state(), busy(), progress(): any. latest(): one reader. The rest: the main thread.
/// RT       everything but the constructor.
class RigStatus {
 public:
  explicit RigStatus(const FrameRow& row) : row_(row) {}

  State state() const TACTUS_RT { return state_.load(std::memory_order_relaxed); }
  void enter(State next) TACTUS_RT {
    assert(can_go(state(), next) && "a transition that is not in kLifecycle");
    state_.store(next, std::memory_order_relaxed);
  }
  /// Enters a state; if kLifecycle has no such transition, the state stays.
  void enter_if_allowed(State next) TACTUS_RT {
    if (can_go(state(), next)) enter(next);
  }

  /// The main thread waits for time to pass, and need not get on; and works again.
  void mark_idle() TACTUS_RT { busy_.store(false, std::memory_order_relaxed); }
  void mark_busy() TACTUS_RT {
    progress_.fetch_add(1, std::memory_order_relaxed);
    busy_.store(true, std::memory_order_relaxed);
  }
  const std::atomic<bool>& busy() const { return busy_; }
  std::atomic<std::uint64_t>& progress() { return progress_; }

  /// Reports to the watchdogs that the rig is alive.
  void send_heartbeat() TACTUS_RT {
    ++heartbeats_;
    for (FramePart* const part : row_.heartbeats) part->heartbeat();
  }
  std::int64_t heartbeats() const TACTUS_RT { return heartbeats_; }

  /// The process of an isolated model has ended.
  void lose_model() TACTUS_RT { ++frame_.models_lost; }
  /// The last frame that has ended.
  const RigFigures& frame() const TACTUS_RT { return frame_; }
  /// Frame k has ended, the frames_run-th.
  void end_frame(std::int64_t k, std::int64_t sim_time_ns, const rtsync::RealtimeSync& sync,
                 std::int64_t frames_run) TACTUS_RT {
    frame_.frames = k + 1;
    frame_.heartbeats = heartbeats_;
    frame_.sim_time_ns = sim_time_ns;
    frame_.state = state();
    frame_.timing = sync.timing();
    frame_.totals = sync.totals();
    frame_.reached = sync.reached();
    frame_.clock_fault = frame_.episode = false;
    frame_.frames_run = frames_run;
  }
  /// Frame k comes next, at that simulated time.
  void seek(std::int64_t k, std::int64_t sim_time_ns) TACTUS_RT {
    frame_.frames = k;
    frame_.sim_time_ns = sim_time_ns;
  }
  void show(const RigFigures& snapshot) TACTUS_RT { latest_.write(snapshot); }
  /// The rig waits before a frame, and is alive.
  void show_waiting() TACTUS_RT {
    send_heartbeat();
    if (state() == State::start) frame_.state = State::start;
    frame_.heartbeats = heartbeats_;
    show(frame_);
  }
  const RigFigures& latest() { return latest_.read(); }

 private:
  const FrameRow& row_;
  std::atomic<State> state_{State::connect};
  std::atomic<bool> busy_{false};
  std::atomic<std::uint64_t> progress_{0};
  std::int64_t heartbeats_ = 0;
  RigFigures frame_;
  rtsync::LatestCell<RigFigures> latest_;
};

}  // namespace tactus::executive
