// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::client {

/// A rig that runs on this machine.
struct RunningRig {
  pid_t process = 0;
  std::filesystem::path folder;  ///< folder of its run
  std::string rig;               ///< its name, as the rig file in that folder has it
};

/// The rig of a run folder; empty: its rig file cannot be read.                                @when service
std::string rig_of(const std::filesystem::path& folder);

/// The processes of tactus that have a run folder's log open, by process number; `unseen`: how many others may not be
/// looked at. `proc` is /proc.                                                                  @when service
std::vector<RunningRig> running_rigs(std::size_t& unseen, const std::filesystem::path& proc = "/proc");

}  // namespace tactus::client
