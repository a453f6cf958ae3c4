// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace tactus::drivers::gpio {

/// The name of the guardian's program, and what its command line says after rig and process.
inline constexpr const char* kGuardianProgram = "tactus-guardian";
inline constexpr const char* kGuardianWatching = "[watching]";
inline constexpr const char* kGuardianStalled = "[rig stands still, outputs safe]";
inline constexpr const char* kGuardianDriving = "[driving the outputs safe]";  // one reads otherwise
inline constexpr const char* kGuardianSafe = "[outputs safe]";

/// Consumer name of a line that this process holds: "tactus servo 4711". The kernel keeps 31 bytes, so a long
/// name of a rig is shortened. @when setup
std::string consumer_of(const std::string& rig, pid_t pid);

struct Holder {
  std::string rig;  ///< perhaps shortened
  pid_t pid = 0;
};
/// The rig a consumer names; nullopt when it is none of ours.
std::optional<Holder> holder_of(const std::string& consumer);

/// Names the holder of a line, as the end of a sentence that begins with the line, and the command that
/// releases it: "is held by rig servo, process 4711; to stop it: kill 4711". `proc`: tests have one of their
/// own. @when setup or service
std::string held_by(const std::string& consumer, const std::filesystem::path& proc = "/proc");

}  // namespace tactus::drivers::gpio
