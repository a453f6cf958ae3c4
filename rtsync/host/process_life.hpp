// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace tactus::rtsync {

/// State of a process as the kernel sees it.
enum class ProcessLife : std::uint8_t {
  gone,    ///< there is none, or it has ended and its parent has not asked how
  ending,  ///< all of its threads have been killed or end: it runs no more, and the kernel takes it apart
  running
};

/// Looks at all threads of a process. Memory, perf events and a core file keep a killed one there for a while; one whose
/// files may not be read counts as running.
///
/// Threads  re-entrant.  @when service
ProcessLife life_of(pid_t process, const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
