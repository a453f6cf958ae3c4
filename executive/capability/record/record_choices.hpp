// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/capability/record/settings.hpp"
#include "executive/plan/draft.hpp"
#include "executive/record/recording.hpp"

namespace tactus::executive {

/// Returns the real time that a simulated one takes, at the rig's clock ratio. @when setup
rtsync::Nanoseconds real_time_of(const Draft& draft, const rtsync::Period& simulated);

/// Makes the filters of a recording from its `on_change`, `trigger` and `decimate`, in this order: trigger,
/// on_change, decimate. Reports their mistakes. @when setup
RecordingChoices recording_choices(Draft& draft, const RecordingSettings& settings,
                                   const std::vector<VariableRef>& variables);

}  // namespace tactus::executive
