// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>

#include "executive/run_base/fail_on.hpp"

namespace tactus::executive {

/// Choices of a run that is judged by a test.
struct JudgeChoices {
  bool allow_untested = false;          ///< `untested` is status 0
  bool allow_inconclusive = false;      ///< `inconclusive` is status 0
  std::filesystem::path junit{};        ///< file of JUnit XML; empty: none
  std::string rig_file{}, test_file{};  ///< names of the files as they were given; empty: there is none
};

struct RunOptions {
  std::filesystem::path folder;               ///< the run folder, as an absolute path; exists and is empty
  std::int64_t frames = INT64_MAX;            ///< number of frames to run
  bool realtime = true;                       ///< false: as fast as it can, whatever the rig file says
  const char* no_realtime = "--no-realtime";  ///< name of that choice, as its user knows it
  std::filesystem::path from{};               ///< a checkpoint to continue from; empty: frame 0
  bool live = false;                          ///< live() is there even if the rig has no servers
  bool paused = false;                        ///< true: in Pause before the first frame
  double margin = 1;                          ///< factor by which jobs are made to take longer
  JudgeChoices judge{};
  FailOn fail_on{};                      ///< conditions that make its exit status 1
  std::filesystem::path shown_folder{};  ///< the run folder as the user gave it
};

}  // namespace tactus::executive
