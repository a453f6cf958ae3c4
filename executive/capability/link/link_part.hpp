// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "executive/capability/flight/flight_part.hpp"
#include "executive/driver/link.hpp"
#include "executive/frame/frame_part.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// The link's place in the frames: takes in and hands out at their borders, and says when one may begin.
class LinkPart final : public FramePart {
 public:
  /// `clock_is_monotonic`: the rig's time is CLOCK_MONOTONIC. All must outlive it. @when setup
  LinkPart(Link& link, const rtsync::RealtimeSync& sync, bool clock_is_monotonic)
      : link_(link), sync_(sync), clock_is_monotonic_(clock_is_monotonic) {}

  /// Records what was waited for. @when setup
  void record_in(FlightPart& flight) { flight_ = &flight; }
  const char* name() const TACTUS_RT override { return "the link"; }
  void joined(FrameServices& services) override;
  bool may_begin(std::int64_t k, bool paced, bool first) TACTUS_RT override {
    return (paced && !first) || link_.may_begin(k, paced);
  }
  bool wait(std::int64_t k, bool paced,
            rtsync::TimePoint<rtsync::MonotonicTime> deadline) TACTUS_RT override {
    const std::uint64_t began = flight_ == nullptr ? 0 : flight_->ticks();
    const bool may = link_.wait(k, paced, deadline);
    if (flight_ != nullptr) flight_->waited_for_grant(k, began, may);
    return may;
  }
  void launch(std::int64_t k) TACTUS_RT override { link_.start(k); }
  PartVerdict begin_frame(std::int64_t k) TACTUS_RT override;
  void end_frame(std::int64_t k) TACTUS_RT override { link_.end_frame(k); }
  void freeze_begin(const Frozen& frozen) override { link_.freeze(frozen.why); }
  void freeze_frame(const Frozen& frozen) TACTUS_RT override { link_.freeze(frozen.why); }
  void resume() TACTUS_RT override { link_.unfreeze(); }
  const char* stays() const TACTUS_RT override {
    return "a linked rig cannot go back: the virtual time of its peers does not";
  }

 private:
  Link& link_;
  const rtsync::RealtimeSync& sync_;
  const bool clock_is_monotonic_;
  FlightPart* flight_ = nullptr;
};

}  // namespace tactus::executive
