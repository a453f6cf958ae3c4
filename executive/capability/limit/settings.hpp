// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/fields.hpp"
#include "executive/plan/capability_section.hpp"

namespace tactus::executive {

/// The limits of one output.
struct LimitSettings {
  config::Node least{}, most{}, max_rate{};
};

/// The table of them.                                                                         @when setup
const config::Fields<LimitSettings>& limit_fields();

/// Checks of the limits of outputs.
extern const CapabilitySection kLimitSection;

}  // namespace tactus::executive
