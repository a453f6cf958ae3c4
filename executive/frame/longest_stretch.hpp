// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/frame/frame_statistics.hpp"
#include "executive/frame/late_jobs.hpp"
#include "executive/frame/program.hpp"
#include "executive/frame/stretch.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Finds the part of a frame's work that took longest beyond its usual time: jobs, or a time in which none ran.
///
/// Threads  the rig's main thread, before the lanes have counted the frame's jobs.
/// RT       all but the constructor.
class LongestStretch {
 public:
  /// All must outlive it. @when setup
  LongestStretch(const Program& program, rtsync::PacedClock& clock, const FrameStatistics& statistics);

  Stretch of_work(const rtsync::FrameTiming& timing) TACTUS_RT;

 private:
  Stretch of_calls(const LaneTimes& times, const LateJobs::Calls& calls) const TACTUS_RT;
  bool is_logged() const TACTUS_RT;
  Stretch gap(const LaneTimes& times, rtsync::EvidenceTime wake, rtsync::EvidenceTime done) const TACTUS_RT;

  const Program& program_;
  rtsync::PacedClock& clock_;
  const FrameStatistics& statistics_;
  LateJobs late_jobs_;
};

}  // namespace tactus::executive
