// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/time/histogram.hpp"

namespace tactus::executive {

/// The times of all frames of a run. Written by the rig's thread, readable by others at any time.
struct FrameStatistics {
  rtsync::LatencyHistogram late;
  rtsync::SlackHistogram slack;
  rtsync::LatencyHistogram work;
  rtsync::LatencyHistogram behind;  ///< housekeeping between two frames: of all but the last frame
};

}  // namespace tactus::executive
