// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/frame/frame_part.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/host/watchdog_device.hpp"

namespace tactus::executive {

/// Kicks the hardware watchdog as long as the rig is alive.
class WatchdogPart final : public FramePart {
 public:
  WatchdogPart(rtsync::WatchdogDevice& device, rtsync::PacedClock& clock)
      : FramePart("the watchdog device"), device_(device), clock_(clock) {}
  void heartbeat() TACTUS_RT override { device_.kick(clock_.now()); }

 private:
  rtsync::WatchdogDevice& device_;
  rtsync::PacedClock& clock_;
};

}  // namespace tactus::executive
