// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The `link` section: the driver with its own keys.
struct LinkSection {
  Origin origin;
  bool present = false;  ///< the section is there: the rig is linked
  Located<std::string> driver{"silkit"};
  config::Node device = config::Node::map({});  ///< the driver's own keys
  bool operator==(const LinkSection&) const = default;
};

/// Keys and plan of the link.
extern const CapabilitySection kLinkSection;

}  // namespace tactus::executive
