// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/fields.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The table of the `flight_recorder` section.                                                 @when setup
config::Fields<FlightSection> flight_fields();

}  // namespace tactus::executive
