// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace tactus::app {

/// The report of a run that is over: into `file`, or report.html of its folder when that is empty. One that cannot
/// be made is said on stderr, and changes nothing.                                            @when service
void report_run(const std::filesystem::path& folder, const std::string& file, bool quiet) noexcept;

/// Why a report cannot have this file; empty: it can. The rig file may stand where the file of --report is expected.
std::string wrong_report_file(const std::string& file);

}  // namespace tactus::app
