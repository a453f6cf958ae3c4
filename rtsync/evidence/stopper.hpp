// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace tactus::rtsync {

/// Returns what stops a thread now, or may have stopped it: "'gdb' (tid 12) traces it"; "its control group /x is frozen";
/// "it is in the freezer /x, which is THAWED now". Empty: nothing is known.  @when service
std::string stopper_of(pid_t thread, const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
