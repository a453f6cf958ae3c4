// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "config/fields.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The table of a recording.                                                                   @when setup
const config::Fields<RecordingSettings>& recording_fields();

}  // namespace tactus::executive
