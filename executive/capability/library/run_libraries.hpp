// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "config/json.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/crash/loaded_files.hpp"

namespace tactus::executive {

/// Changes of the files of libraries whose code the rig runs, as summary.json has them: those that were
/// overwritten, replaced or removed. @when service
config::Json changed_libraries(const rtsync::LoadedFiles& files);
/// Changes of the libraries of this process.                                                  @when service
config::Json changed_libraries();

/// Notices that a library is written over while the rig runs it: what follows is no job's doing.
///
/// Threads  the service thread.
class RunLibraries final : public Capability {
 public:
  explicit RunLibraries(RunContext& run) : run_(run) {}

  /// Notes what the rig's processes have loaded by now.
  void start() override;
  /// Says of each once that it was overwritten. Reads on in the files: not in the first second, which is the start's.
  void poll_seldom(RunVoice& voice) override;
  /// The same, and the reason of the end has it; before a job that failed.
  void finish() override;
  void summarize(config::Json& all, Summary what) const override {
    if (what == Summary::ended) all["libraries_changed"] = changed_libraries();
  }

 private:
  RunContext& run_;
  void say_changes(RunVoice& voice);

  bool started_ = false;
  std::set<std::string> said_;
};

}  // namespace tactus::executive
