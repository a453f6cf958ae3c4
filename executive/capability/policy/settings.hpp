// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/capability_section.hpp"

namespace tactus::executive {

/// Keys and plan of policies.
extern const CapabilitySection kPolicySection;

}  // namespace tactus::executive
