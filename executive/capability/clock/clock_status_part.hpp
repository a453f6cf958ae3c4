// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "executive/frame/frame_part.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/exchange/latest_cell.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::executive {

/// Hands out what is known of the external clock.
///
/// Threads  latest(), latest_fault(): one reader, the service thread.
class ClockStatusPart final : public FramePart {
 public:
  ClockStatusPart(const rtsync::EdgeClockStatus& status, const rtsync::Sleeper& sleeper)
      : status_(status), sleeper_(sleeper) {}

  const char* name() const TACTUS_RT override { return "the external clock's status"; }
  void heartbeat() TACTUS_RT override { latest_.write(status_); }
  /// Puts a fault into words here, where nothing moves.
  void freeze_begin(const Frozen& frozen) override {
    if (!frozen.rig.clock_fault) return;
    FaultText text{};
    sleeper_.failure().copy(text.data(), text.size() - 1);
    latest_fault_.write(text);
  }

  /// As of the last heartbeat.
  const rtsync::EdgeClockStatus& latest() { return latest_.read(); }
  /// Why the clock froze the rig last: a sentence, cut to what fits.
  const char* latest_fault() { return latest_fault_.read().data(); }

 private:
  using FaultText = std::array<char, 256>;
  const rtsync::EdgeClockStatus& status_;
  const rtsync::Sleeper& sleeper_;
  rtsync::LatestCell<rtsync::EdgeClockStatus> latest_;
  rtsync::LatestCell<FaultText> latest_fault_;
};

}  // namespace tactus::executive
