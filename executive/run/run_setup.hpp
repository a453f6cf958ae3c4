// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Steps from a rig file and a caller's options to a run: the common part of the command and of programs.
///
/// Threads  one, at setup.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run_base/run_options.hpp"

namespace tactus::executive {

class RigRun;
class RunObserver;

/// Decisions of a caller on a run, whatever the rig file says.
struct RunOverrides {
  std::vector<std::string> set{};        ///< changes of the rig file: "path=value", "@file"
  std::string until{};                   ///< simulated time: "10s"; empty: as the rig says
  std::optional<std::int64_t> frames{};  ///< instead of until
  bool realtime = true;                  ///< false: as fast as it can
  bool drive_outputs = false;            ///< true: real outputs may be driven outside of real time
  std::string out{};                     ///< the run folder; empty: runs/<rig>-<start time>
  std::string from{};                    ///< a checkpoint to continue from; empty: the beginning
  std::string link{};                    ///< paced, follow, free, off; empty: as the rig says
  std::string registry{};                ///< instead of link.registry; empty: as the rig says
  std::string live{};                    ///< address of its control port; empty: as the rig says
  bool paused = false;                   ///< true: in Pause before the first frame
  double margin = 1;                     ///< factor by which jobs are made to take longer
  FailOn fail_on{};                      ///< conditions that make its exit status 1 at an end as planned
  std::string test{};         ///< file of a test, laid over the rig file; empty: none
  JudgeChoices judge{};
  std::string replay{};       ///< a run folder whose link took in what is to come in again; empty: none
  std::string spelling = "";  ///< text before the name of a choice in messages: "--" on a command line
};

/// A rig file with the changes of `set`, and the files that it names laid over it. Throws config::ConfigError when it cannot be read at all.
config::Document load_document(const std::string& file, const std::vector<std::string>& set,
                               config::Problems& problems);
/// Folder to which a library path with a '/' is relative.
std::filesystem::path folder_of(const std::string& file);

/// Loads the file and the models. Throws config::ConfigError with everything that is wrong. @when setup
std::unique_ptr<Rig> load_rig(const std::string& file, const RunOverrides& choices);

/// Refuses a run that would drive real outputs outside of real time, unless `drive_outputs` asks for it. Throws
/// config::ConfigError. @when setup
void check_pace_of_outputs(const Rig& rig, const RunOverrides& choices);

/// A new, empty folder for a run. Throws config::ConfigError when `out` is not empty, MachineError when it
/// cannot be made.
class RunFolder {
 public:
  RunFolder(const RunOverrides& choices, const std::string& rig);

  /// Path as the user gave it, to be shown.
  const std::filesystem::path& path() const { return path_; }
  /// Absolute path: a job may change the working directory.
  const std::filesystem::path& absolute_path() const { return absolute_path_; }
  /// Nothing was started: removes what lies in it, and it too if it was not there before.
  void leave_nothing() const;

 private:
  void make(const RunOverrides& choices, const std::string& rig);

  std::filesystem::path path_;
  std::filesystem::path absolute_path_;
  bool made_by_us_ = true;
};

RunOptions run_options(const Rig& rig, const RunOverrides& choices, const RunFolder& folder);

/// RigRun::run; when nothing was started, nothing is left of the folder.
void run_in(const RunFolder& folder, RigRun& run, RunObserver& watcher);

}  // namespace tactus::executive
