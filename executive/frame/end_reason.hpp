// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/frame/stuck_mark.hpp"

namespace tactus::executive {

/// Causes that can have ended a run.
struct EndCauses {
  const JobRunner& jobs;
  const StuckMark& stuck;
  const RunEnd& restart;  ///< end of a restart; without a reason: none
  const rtsync::Sleeper& sleeper;
  const PartVerdict& part;
  const CommandQueue& commands;
  const rtsync::RealtimeSync& sync;
};

/// Returns how a run ended before frame k, and why: of several causes the gravest.              @when service
RunEnd end_of(const EndCauses& causes, rtsync::Verdict verdict, std::int64_t k);

}  // namespace tactus::executive
