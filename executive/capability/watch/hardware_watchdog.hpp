// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executive/capability/watch/watchdog_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run_base/run_observer.hpp"
#include "rtsync/host/provision.hpp"
#include "rtsync/host/watchdog_device.hpp"

namespace tactus::executive {

/// What a rig with outputs risks without one, and what would mend it.                        @when setup
std::string no_watchdog_note();

/// The hardware watchdog of one run: resets the machine when no frame ends any more.
class HardwareWatchdog {
 public:
  /// The last thing before the first frame, as its countdown begins here. @when setup
  void start(const RigSettings& settings, bool realtime, Executive& executive, rtsync::PacedClock& clock,
             std::vector<rtsync::Provision>& provisions);
  /// Switched off after a clean end alone: whatever else happened, the machine is to be reset. @when service
  void stop(const RunEnd& end, RunVoice& voice);

 private:
  std::string name_;
  std::unique_ptr<rtsync::WatchdogDevice> device_;
  std::optional<WatchdogPart> part_;
};

}  // namespace tactus::executive
