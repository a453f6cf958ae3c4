// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/run_base/capability.hpp"

namespace tactus::executive {

/// Returns the capabilities of every run. Their order is that of their keys and of their hooks of the plan, of the hooks
/// of a frame, and of each hook of a run.
std::vector<CapabilityRow> capabilities();

/// Makes a row the last of the list, as long as this lives: a capability of a program that is not tactus, as a test.
/// Several are destroyed in the opposite order.
///
/// Threads  one thread, while no rig is loaded or runs.                                            @when setup
class AddedCapability {
 public:
  explicit AddedCapability(const CapabilityRow& row);
  ~AddedCapability();
  AddedCapability(const AddedCapability&) = delete;
  AddedCapability& operator=(const AddedCapability&) = delete;
};

}  // namespace tactus::executive
