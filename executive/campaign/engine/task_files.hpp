// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "executive/campaign/engine/engine.hpp"
#include "rtsync/host/descriptor.hpp"

namespace tactus::campaign {

/// The folder of an array, in that of the campaign.
std::filesystem::path array_folder(const std::filesystem::path& campaign, int array);
/// Writes what a task does: `engine/<array>/<task>.task`, one file for each. Throws std::system_error.      @when service
void write_task(const std::filesystem::path& array, std::int64_t task, const TaskWork& work);
/// Throws std::system_error, or std::runtime_error naming the file.
TaskWork read_task(const std::filesystem::path& array, std::int64_t task);

/// The reports of a task, a line at a time: `engine/<array>/<task>.<instance>.cases`. A line that is torn by a full disk is
/// none.
///
/// Threads  one.
class TaskReport {
 public:
  /// Makes the file. Throws std::system_error.
  TaskReport(const std::filesystem::path& array, std::int64_t task, const std::string& instance,
             std::string node);
  void begins(std::size_t place);
  void ends(std::size_t place, const ProcessEnd& end);

 private:
  void write(const std::string& line);

  std::filesystem::path file_;
  std::string node_;
  rtsync::Descriptor out_;
};

/// Reads what the tasks of an array report; each line once.
///
/// Threads  one.
class TaskReports {
 public:
  std::vector<CaseReport> read(const std::filesystem::path& array);

 private:
  std::map<std::string, std::uintmax_t> read_;  // bytes of each file
};

}  // namespace tactus::campaign
