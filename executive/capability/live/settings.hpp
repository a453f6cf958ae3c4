// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/node.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The `live` section.
struct LiveSection {
  config::Node servers;  ///< a map: drivers of kind "live", each with its own keys; null: none
  bool operator==(const LiveSection&) const = default;
};

/// Keys and plan of live access.
extern const CapabilitySection kLiveSection;

}  // namespace tactus::executive
