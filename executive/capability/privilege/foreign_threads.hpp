// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/run_base/rig_threads.hpp"
#include "executive/run_base/run_part.hpp"

namespace tactus::executive {

/// Keeps threads that tactus did not create away from the frames: those that a model's library started inherit
/// the CPUs of who started them, and those of a real-time job its CPU. They are known by not being ours.
///
/// Threads  the service thread.
class ForeignThreads final : public RunPart {
 public:
  /// `parts` say which threads are ours. All must outlive it. @when setup
  ForeignThreads(const RigCpus& cpus, const std::vector<RunPart*>& parts, bool realtime)
      : cpus_(cpus), parts_(parts), realtime_(realtime) {}

  /// Moves those away that are in the way now. What became of each.
  std::vector<rtsync::Provision> move() const;
  void poll_seldom(RunVoice& voice) override;

 private:
  const RigCpus& cpus_;
  const std::vector<RunPart*>& parts_;
  const bool realtime_;
};

}  // namespace tactus::executive
