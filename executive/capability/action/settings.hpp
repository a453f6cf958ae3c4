// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// Compiles the lists of actions in `commands`. Names of all that is switched are known.               @when setup
void plan_actions(Draft& draft);
/// Notes actions that pause a rig which no client can resume, once all lists are known.               @when setup
void note_pauses(Draft& draft);

}  // namespace tactus::executive
