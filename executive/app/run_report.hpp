// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "executive/run/run_setup.hpp"

namespace tactus::app {

/// Destination of the report of a run. Made before the run: a model may change the working directory.
struct ReportFile {
  /// report.html of the run folder when `file` is empty.
  ReportFile(const executive::RunFolder& folder, const std::string& file);

  std::filesystem::path path;   ///< absolute
  std::filesystem::path shown;  ///< path as a person wrote it
};

/// The report of a run that is over. One that cannot be made is said on stderr, and changes nothing.
/// @when service
void report_run(const executive::RunFolder& folder, const ReportFile& to, bool quiet) noexcept;

/// Returns true for a name that a report may have in a run folder, where no other file of a run has it. @when any
bool is_report_name(const std::filesystem::path& file);
/// Explains why a report cannot have this file; empty: it can. The rig file may be given where the file of
/// --report is expected.
std::string wrong_report_file(const std::string& file);

}  // namespace tactus::app
