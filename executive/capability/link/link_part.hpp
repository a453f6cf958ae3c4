// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/capability/fault/fault_part.hpp"
#include "executive/capability/flight/flight_part.hpp"
#include "executive/driver/link.hpp"
#include "executive/frame/frame_part.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// The link's place in the frames: takes in and hands out at their borders, and says when one may begin.
class LinkPart final : public FramePart {
 public:
  /// `clock_is_monotonic`: the rig's time is CLOCK_MONOTONIC. All must outlive it. @when setup
  LinkPart(LinkFrames& link, const rtsync::RealtimeSync& sync, bool clock_is_monotonic)
      : FramePart("the link"), link_(link), sync_(sync), clock_is_monotonic_(clock_is_monotonic) {}

  /// Records what was waited for. @when setup
  void record_in(FlightPart& flight) { flight_ = &flight; }
  /// Asks these faults at its borders; nullptr: none. They outlive it. @when setup
  void obey(FaultPart* faults) { faults_ = faults; }
  void joined(FrameServices& services) override;
  bool may_begin(std::int64_t k, const BeginAsked& asked) TACTUS_RT override {
    if (!asked.until) return (asked.paced && !asked.first) || link_.may_begin(k, asked.paced);
    const std::uint64_t began = flight_ == nullptr ? 0 : flight_->ticks();
    const bool may = link_.wait(k, asked.paced, *asked.until);
    if (flight_ != nullptr) flight_->waited_for_grant(k, began, may);
    return may;
  }
  PartVerdict begin_frame(std::int64_t k) TACTUS_RT override;
  void end_frame(std::int64_t k) TACTUS_RT override {
    if (faults_ != nullptr) faults_->before_sending();
    link_.end_frame(k);
  }
  void changed(RigChange& change) TACTUS_RT override;

 private:
  LinkFrames& link_;
  const rtsync::RealtimeSync& sync_;
  const bool clock_is_monotonic_;
  FlightPart* flight_ = nullptr;
  FaultPart* faults_ = nullptr;
};

}  // namespace tactus::executive
