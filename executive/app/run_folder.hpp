// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::app {

/// Throws CommandError when it is not a run folder, or nobody may look into it. @when service
void expect_run_folder(const std::filesystem::path& folder);
/// The rig file of a run folder; of one that another tactus wrote, what is known. Throws as expect_run_folder().
/// @when service
executive::RigSettings settings_of_run(const std::filesystem::path& folder);

/// A recording that a run may have.
struct RunRecording {
  std::string name;
  std::string driver;
  bool expected;  ///< false: it depends on how the rig was run
};
std::vector<RunRecording> recordings_of(const executive::RigSettings& settings);

/// Waits for a rig of a run folder that was killed and is still taken apart, and says so on stderr. Returns the process
/// that is there after that; 0: none. See executive::wait_for_end_of_killed_rig(). @when service
pid_t wait_for_killed_rig(const std::filesystem::path& run_folder);

/// Reads a file of a run folder; discarded if it cannot be read, or is not JSON. @when service
config::Json json_in(const std::filesystem::path& file);

}  // namespace tactus::app
