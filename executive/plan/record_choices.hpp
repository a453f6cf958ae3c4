// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/plan/draft.hpp"
#include "executive/record/recorder.hpp"

namespace tactus::executive {

/// What `on_change`, `trigger` and `decimate` of a recording become: its filters, in this order: trigger,
/// on_change, decimate. Complains of what is wrong with them. @when setup
RecordingChoices recording_choices(Draft& draft, const RecordingSettings& settings,
                                   const std::vector<VariableRef>& variables);

}  // namespace tactus::executive
