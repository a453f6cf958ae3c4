// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>

namespace tactus::app {

/// Waits for a rig of a run folder that was killed and is still taken apart, and says so on stderr. Returns the process
/// that is there after that; 0: none. See executive::wait_for_end_of_killed_rig(). @when service
pid_t wait_for_killed_rig(const std::filesystem::path& run_folder);

}  // namespace tactus::app
