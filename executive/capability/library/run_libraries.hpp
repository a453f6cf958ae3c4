// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "config/json.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/isolation/isolation.hpp"
#include "executive/run_base/run_part.hpp"
#include "rtsync/crash/loaded_files.hpp"

namespace tactus::executive {

/// What became of the files of libraries whose code the rig runs, as summary.json has it: those that were
/// overwritten, replaced or removed. @when service
config::Json changed_libraries(const rtsync::LoadedFiles& files);
/// Of this process.                                                                           @when service
config::Json changed_libraries();

/// Notices that a library is written over while the rig runs it: what follows is no job's doing.
///
/// Threads  the service thread.
class RunLibraries final : public RunPart {
 public:
  /// What the rig's processes have loaded by now; `isolation` may be nullptr. @when setup
  void note(const Isolation* isolation) const;
  /// Says of each once that it was overwritten.
  void poll_seldom(RunVoice& voice) override;
  /// The same, and the reason of the end has it; before a job that failed.
  void finish(RunEnd& end, RunVoice& voice);

 private:
  std::set<std::string> said_;
};

}  // namespace tactus::executive
