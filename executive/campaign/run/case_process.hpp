// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/cpu_set.hpp"

namespace tactus::campaign {

/// The name of the environment variable by which all processes of a case are known: "<campaign's folder>#<case>-<attempt>".
inline constexpr const char* kCaseMark = "TACTUS_CAMPAIGN_CASE";

/// A process to start: its output goes to a file, its input is empty, and it leads a process group of its own.
struct CaseStart {
  std::filesystem::path program;
  std::vector<std::string> words;  ///< its name and arguments
  std::filesystem::path output;    ///< made, or cut to nothing
  std::string mark;                ///< value of kCaseMark
  sigset_t blocked;                ///< signals that it begins without
  rtsync::CpuSet cpus{};           ///< CPUs that it and its threads may use; empty: ours
};

/// Starts it. `tactus run` in it gets SIGTERM once this process has ended, however that ended. Throws std::system_error.
///
/// Threads  one that lives as long as this process.                                                  @when service
pid_t start_process(const CaseStart& start);

/// Makes this process the parent of all orphans that its children leave, so that none is lost.       @when setup
void adopt_orphans();
/// Kills our children that are orphans of cases of a campaign: those whose mark begins so, and is none of cases that run.
void kill_orphans(std::string_view begin, const std::function<bool(const std::string& mark)>& runs);

/// Ends all processes on this machine whose mark begins so: those of a runner that was killed. Waits until they are gone.
/// `patience_s`: time for them to end in order, as rigs with real outputs need it; after it all get SIGKILL. None gets a
/// SIGTERM here: each has one from the kernel, or from its runner, and a second one would abort the rig.
/// Returns how many there were. Throws std::runtime_error naming one that does not end.             @when setup
int kill_marked(std::string_view begin, double patience_s = 0);

}  // namespace tactus::campaign
