// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/run_base/capability.hpp"

namespace tactus::executive {

/// Returns the capabilities of every run. Their order is that of the hooks of a frame, and of each hook of a run.
std::vector<CapabilityRow> capabilities();

}  // namespace tactus::executive
