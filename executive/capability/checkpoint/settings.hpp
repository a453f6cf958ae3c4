// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/fields.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The table of the `checkpoint` section.                                                      @when setup
config::Fields<CheckpointSection> checkpoint_fields();

}  // namespace tactus::executive
