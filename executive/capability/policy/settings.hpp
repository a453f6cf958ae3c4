// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// Keys and plan of policies.
extern const CapabilitySection kPolicySection;

}  // namespace tactus::executive
