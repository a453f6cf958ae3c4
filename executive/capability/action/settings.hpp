// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// Compiles the lists of actions in `commands`. Names of all that is switched are known.               @when setup
void plan_actions(Draft& draft);

}  // namespace tactus::executive
