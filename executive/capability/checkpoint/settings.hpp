// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The `checkpoint` section: copies of the whole state, and when they are taken.
struct CheckpointSection {
  Origin origin;
  bool enabled = true;
  std::optional<Nanoseconds> every;  ///< simulated time between two; nothing: none at times of their own
  bool at_end = false;
  std::string folder = "checkpoints";  ///< folder, in the run folder unless absolute
  bool operator==(const CheckpointSection&) const = default;
};

/// Keys and plan of checkpoints.
extern const CapabilitySection kCheckpointSection;

}  // namespace tactus::executive
