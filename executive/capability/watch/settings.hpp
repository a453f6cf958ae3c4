// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The `watchdog` section.
struct WatchdogSection {
  bool systemd = true;                ///< answer systemd's WatchdogSec, if it asks
  std::optional<std::string> device;  ///< a hardware watchdog
  Nanoseconds timeout{10'000'000'000};
  bool operator==(const WatchdogSection&) const = default;
};

/// Keys and plan of what watches over the frames.
extern const CapabilitySection kWatchSection;

}  // namespace tactus::executive
