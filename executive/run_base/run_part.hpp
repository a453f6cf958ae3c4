// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include "executive/run_base/run_observer.hpp"

namespace tactus::executive {

/// Part of a run beside its frames. RigRun keeps a row of them, and polls one after the other.
///
/// Threads  the service thread.
class RunPart {
 public:
  virtual ~RunPart() = default;
  /// Called about twenty times a second, from the moment the rig is made: reports what has happened.
  virtual void poll(RunVoice&) {}
  /// Once a second: what may wait, or is not cheap.
  virtual void poll_seldom(RunVoice&) {}
  /// One of its threads, which may run where the frames do.
  virtual bool owns(pid_t) const { return false; }
};

}  // namespace tactus::executive
