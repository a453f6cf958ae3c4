// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// Settings of what the kernel is asked for, to name causes of late frames.
struct CauseSettings {
  bool kernel_events = true;
  std::optional<Located<Nanoseconds>> signs_of_life;  ///< nothing: by the frame
  bool operator==(const CauseSettings&) const = default;
};

/// Keys and plan of causes of late frames.
extern const CapabilitySection kCauseSection;

}  // namespace tactus::executive
