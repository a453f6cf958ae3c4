// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executive/plan/rig_settings.hpp"

namespace tactus::app {

/// The rig file of a run folder; of one that another tactus wrote, what is known. Throws CommandError when it
/// is not a run folder. @when service
executive::RigSettings settings_of_run(const std::filesystem::path& folder);

/// A recording that a run may have.
struct RunRecording {
  std::string name;
  std::string driver;
  bool expected;  ///< false: it depends on how the rig was run
};
std::vector<RunRecording> recordings_of(const executive::RigSettings& settings);

}  // namespace tactus::app
