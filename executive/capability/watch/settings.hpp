// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/fields.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The table of the `watchdog` section.                                                        @when setup
config::Fields<WatchdogSection> watchdog_fields();

}  // namespace tactus::executive
