// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "executive/frame/frame_part.hpp"
#include "executive/run_base/run_context.hpp"
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

/// Describes the risk of a rig with outputs and no watchdog, and how to remove it.           @when setup
std::string no_watchdog_note();

/// The hardware watchdog of one run: resets the machine when no frame ends any more.
class HardwareWatchdog final : public Capability {
 public:
  explicit HardwareWatchdog(RunContext& run) : run_(run) {}

  /// Comes last in the list of capabilities, as its countdown begins here.
  void start() override;
  void ready() override;
  /// A linked rig stops it here: to leave may take its time.
  void ended() override {
    if (run_.rig.link() != nullptr && !run_.stuck) stop();
  }
  /// Shutdown jobs may take their time, too.
  void leave() override { stop(); }

 private:
  void stop();

  RunContext& run_;
  std::string name_;
  std::unique_ptr<rtsync::WatchdogDevice> device_;
  std::optional<WatchdogPart> part_;
  bool left_counting_ = false;
};

}  // namespace tactus::executive
