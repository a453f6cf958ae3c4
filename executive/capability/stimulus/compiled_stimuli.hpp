// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/capability/stimulus/settings.hpp"
#include "executive/capability/stimulus/stimulus_source.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// Compiles the stimuli of a rig. Their mistakes are added to the draft's problems.               @when setup
std::vector<CompiledStimulus> compile_stimuli(const Draft& draft, const config::Node& stimuli);

}  // namespace tactus::executive
