// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "config/json.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Times of the calls of a job in a run.
struct MeasuredJob {
  std::int64_t calls = 0;
  rtsync::Nanoseconds p99{0};
  rtsync::Nanoseconds p99_99{0};  ///< p99.99; in a run of an older tactus the maximum
  rtsync::Nanoseconds max{0};
};

/// The job times of a run: out of its summary.json.
struct MeasuredRun {
  std::string name;                         ///< name in messages: the folder
  std::map<std::string, MeasuredJob> jobs;  ///< jobs by name; those that were called at least once
  bool realtime = true;                     ///< false: it ran as fast as it could

  /// nullptr: it was not called, or there was no such job.
  const MeasuredJob* find(const std::string& job) const;

  /// Reads a run folder of the rig `rig`. Throws std::runtime_error that describes the problem.   @when setup
  static MeasuredRun of_folder(const std::filesystem::path& folder, const std::string& rig);
  /// Reads what RigRun::summary() makes, as of_folder() reads a run folder.
  static MeasuredRun of_summary(const config::Json& summary, const std::string& name, const std::string& rig);
};

}  // namespace tactus::executive
