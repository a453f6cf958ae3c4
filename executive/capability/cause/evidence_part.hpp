// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "executive/frame/frame_evidence.hpp"
#include "executive/frame/frame_part.hpp"
#include "rtsync/evidence/kernel_events.hpp"

namespace tactus::executive {

/// Forgets what the kernel recorded while no frame ended: for a rig that waits or is paused. It is of no
/// frame, and to read it would take a late frame too long.
class EvidencePart final : public FramePart {
 public:
  EvidencePart(std::shared_ptr<rtsync::KernelEvents> events, FrameEvidence& evidence)
      : FramePart("the kernel's events"), events_(std::move(events)), evidence_(evidence) {}

  void changed(RigChange& change) TACTUS_RT override {
    if (change.what != RigChange::started) return;
    events_->release();  // keeps what came since the one before
    events_->release();
    evidence_.look_at_counts();
  }
  void heartbeat() TACTUS_RT override {
    if (std::exchange(frames_, evidence_.frames()) == evidence_.frames()) events_->release();
  }

 private:
  const std::shared_ptr<rtsync::KernelEvents> events_;
  FrameEvidence& evidence_;
  std::uint64_t frames_ = 0;  // at the last heartbeat
};

}  // namespace tactus::executive
