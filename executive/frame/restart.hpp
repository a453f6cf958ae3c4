// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "executive/frame/frame_boundary.hpp"
#include "executive/frame/rate_transitions.hpp"
#include "executive/frame/safe_output_list.hpp"
#include "executive/frame/state_restorer.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Objects that a restart needs.
struct RestartParts {
  StateRestorer& restorer;
  JobRunner& jobs;
  RateTransitions& transitions;
  CommandQueue& commands;
  FrameBoundary& boundary;
  RigStatus& status;
  SafeOutputList& outputs;
  const FrameRow& row;
};

/// Takes a rig back to its initial state (a reset) or to a loaded one, and through Start again.
///
/// Threads  loaded(), is_loaded(), resets(), resets_done(): any. The rest: the rig's main thread.
class Restart {
 public:
  explicit Restart(const RestartParts& rig) : rig_(rig) {}

  /// Sets the thread for the initialization jobs after a reset, while the main thread keeps its watchdogs
  /// alive; without one, they run on the main thread. @when setup
  void set_setup_thread(rtsync::ThreadSettings settings) { setup_thread_ = std::move(settings); }
  /// Continues from that state instead of from frame 0: after the initialization jobs, before the first
  /// frame. Throws std::runtime_error naming the restart job that failed. @when setup
  void load(const LoadedState& state);
  /// Carries out the commands at the end of a frame. Returns the next frame; nothing when the rig has to end.
  std::optional<std::int64_t> run();

  /// Reason why the rig has to end; empty when it need not.
  const RunEnd& failure() const { return failure_; }
  std::int64_t loaded() const TACTUS_RT { return loaded_.load(std::memory_order_acquire); }
  /// Returns true if the rig goes on from a state that was loaded, and was not reset since.
  bool is_loaded() const TACTUS_RT { return is_loaded_.load(std::memory_order_relaxed); }
  std::int64_t resets() const TACTUS_RT { return resets_.load(std::memory_order_relaxed); }
  /// Number of CommandQueue::resets_wanted() that are done, initialization jobs included.
  std::int64_t resets_done() const TACTUS_RT { return resets_done_.load(std::memory_order_acquire); }

 private:
  bool await_async_workers();
  std::optional<std::int64_t> go_to(const LoadedState& state);
  std::optional<std::int64_t> reset();
  bool initialize();
  std::optional<std::int64_t> fail(Outcome outcome, std::string reason) {
    failure_ = {outcome, std::move(reason), 0};
    return std::nullopt;
  }

  const RestartParts rig_;
  std::optional<rtsync::ThreadSettings> setup_thread_;
  RunEnd failure_;
  std::atomic<std::int64_t> loaded_{0};
  std::atomic<bool> is_loaded_{false};
  std::atomic<std::int64_t> resets_{0};
  std::atomic<std::int64_t> resets_done_{0};
};

}  // namespace tactus::executive
