// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executive/frame/frame_accounts.hpp"
#include "executive/frame/job_runner.hpp"
#include "executive/state/state_image.hpp"

namespace tactus::executive {

/// Copies all that a rig remembers out of its memory, and in again, with the jobs around it.
///
/// Threads  the rig's main thread, between two frames, and one at a time before and after run().
class StateRestorer {
 public:
  StateRestorer(Program& program, JobRunner& jobs, RigStatus& status, FrameAccounts& accounts,
                CommandQueue& commands, const FrameRow& row);

  /// All that a checkpoint holds; throws std::runtime_error when there can be none (a model that says so,
  /// variables that share memory).                                                                @when setup
  const StateImage& image();
  /// The state after the last frame, for a checkpoint. Throws std::runtime_error naming the job that failed.
  /// After run().                                                                              @when service
  std::vector<std::byte> copy();
  /// Copies a state in; frame k comes next. False: a job failed.
  bool restore(const std::byte* bytes, std::int64_t k);

  /// Makes memory for the initial state, so that a reset is possible. How long a copy of the state takes.
  /// Throws like image().                                                                         @when setup
  rtsync::Nanoseconds prepare_reset();
  /// Right before the initialization jobs: the initial state is as it is now.                     @when setup
  void keep_initial();
  /// Restores the initial state before frame 0; needs prepare_reset().
  bool restore_initial() { return restore(initial_.data(), 0); }
  /// Reason why there is no reset; empty: there can be one.
  const std::string& reset_refusal() const { return reset_refusal_; }

 private:
  Program& program_;
  JobRunner& jobs_;
  RigStatus& status_;
  FrameAccounts& accounts_;
  CommandQueue& commands_;
  const FrameRow& row_;
  std::optional<StateImage> image_;
  std::vector<std::byte> initial_;
  std::string reset_refusal_ = "no memory was made ready for it";
};

}  // namespace tactus::executive
