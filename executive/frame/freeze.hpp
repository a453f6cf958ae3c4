// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/frame_boundary.hpp"
#include "executive/frame/job_runner.hpp"

namespace tactus::executive {

/// The loop that runs while a rig is paused.
///
/// Threads  the rig's main thread.
/// RT       everything but the constructor.
class Freeze {
 public:
  Freeze(FrameBoundary& boundary, CommandQueue& commands, JobRunner& jobs, RigStatus& status,
         rtsync::RealtimeSync& sync, const FrameRow& row)
      : boundary_(boundary), commands_(commands), jobs_(jobs), status_(status), sync_(sync), row_(row) {}

  /// Runs from Pause to Resume, before frame k; or until the rig ends, or is to be restored. `clock_fault`:
  /// the external clock is the reason.
  rtsync::Verdict run(std::int64_t k, bool clock_fault) TACTUS_RT;

 private:
  rtsync::Verdict rest(const Frozen& frozen) TACTUS_RT;
  bool serve(const Frozen& frozen) TACTUS_RT;
  const char* why(bool clock_fault) const TACTUS_RT;

  FrameBoundary& boundary_;
  CommandQueue& commands_;
  JobRunner& jobs_;
  RigStatus& status_;
  rtsync::RealtimeSync& sync_;
  const FrameRow& row_;
};

}  // namespace tactus::executive
