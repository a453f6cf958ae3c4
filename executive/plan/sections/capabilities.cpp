// SPDX-License-Identifier: Apache-2.0
// Hooks of the capabilities, in the order of their list.
#include "executive/plan/capability_section.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {

void declare_capabilities(Draft& draft) {
  for (const CapabilitySection* const section : capability_sections())
    if (section->declare != nullptr) section->declare(draft);
}

void plan_capabilities(Draft& draft) {
  for (const CapabilitySection* const section : capability_sections())
    if (section->plan != nullptr) section->plan(draft);
}

}  // namespace tactus::executive
