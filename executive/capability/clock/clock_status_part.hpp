// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

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
      : FramePart("the external clock's status"), status_(status), sleeper_(sleeper) {}

  void heartbeat() TACTUS_RT override { latest_.write(status_); }
  /// Keeps what is known of a fault; the service thread puts it into words.
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what == RigChange::frozen && change.freeze->rig.clock_fault)
      latest_fault_.write(sleeper_.last_fault());
  }

  /// Status as of the last heartbeat.
  const rtsync::EdgeClockStatus& latest() { return latest_.read(); }
  /// Reason why the clock froze the rig last: a sentence; empty: it did not.
  std::string latest_fault() {
    const Fault& fault = latest_fault_.read();
    return fault ? sleeper_.text_of(*fault) : std::string();
  }

 private:
  using Fault = std::optional<rtsync::EdgeFaults::Reaction>;
  const rtsync::EdgeClockStatus& status_;
  const rtsync::Sleeper& sleeper_;
  rtsync::LatestCell<rtsync::EdgeClockStatus> latest_;
  rtsync::LatestCell<Fault> latest_fault_;
};

}  // namespace tactus::executive
