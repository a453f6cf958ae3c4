// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

enum class OnPrivilegeLost { go_on, freeze, terminate };

/// Settings of the answer to a lost privilege.
struct PrivilegeSettings {
  OnPrivilegeLost on_privilege_lost = OnPrivilegeLost::go_on;
  bool operator==(const PrivilegeSettings&) const = default;
};

/// Keys and plan of lost privileges.
extern const CapabilitySection kPrivilegeSection;

}  // namespace tactus::executive
