// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tactus::campaign {

/// A task of an array, as the engine starts it on a node.
struct TaskStart {
  std::filesystem::path campaign;  ///< folder of the campaign
  int array = 0;
  std::int64_t task = 0;
  std::string instance;           ///< another one each time that the engine starts the task
  std::string node;               ///< name of the node
  std::filesystem::path program;  ///< tactus
  /// Time for which the engine's signal is waited for after a case has failed: the case may have heard it first.
  std::chrono::milliseconds same_signal{200};
};

/// Runs the cases of a task one after the other, each as a process with a folder of its own, and reports each. A case that
/// has ended already, in an instance of the task before, is reported and not run. SIGUSR1: no case after this one. SIGTERM,
/// SIGINT, SIGHUP: the case that runs is ended and has no result. Returns 0 or a TaskStatus.
///
/// Threads  one. It becomes the parent of orphans of this process.
int run_task(const TaskStart& start);

}  // namespace tactus::campaign
