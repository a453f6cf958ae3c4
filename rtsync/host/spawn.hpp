// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tactus::rtsync {

/// A process of another program, and all that it is born with. All signals take their usual course in it.
struct Spawn {
  std::filesystem::path program;
  std::vector<std::string> words;                ///< its name and arguments
  bool streams;                                  ///< it has our standard streams; else /dev/null
  std::vector<std::pair<int, int>> descriptors;  ///< ours, and from 3 on theirs; it gets no others
  sigset_t blocked;                              ///< signals that it begins without
  int flags;                                     ///< POSIX_SPAWN_SETSID, ...
  std::vector<std::string> environment{};        ///< empty: ours
  bool closes = true;                            ///< false: what it does not get ends when the program runs
  const char* prepared = "its start";            ///< name of the start in messages
};

/// Starts it. Its process id; calls `cannot`, which throws, when it could not be started. @when setup
pid_t spawn(const Spawn& child, void (*cannot)(const std::string& what, int error));

}  // namespace tactus::rtsync
