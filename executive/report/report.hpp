// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "executive/report/page.hpp"
#include "executive/report/run_data.hpp"

namespace tactus::report {

inline constexpr std::size_t kMostRuns = 6;

/// The runs that are reported together, in order; the first is what the others are compared with. Throws
/// std::runtime_error. @when service
std::vector<RunData> read_runs(const std::vector<std::string>& folders, const std::vector<std::string>& plot);

/// Everything that a report on these runs says.
Page make_page(const std::vector<RunData>& runs);

/// Writes the file as a whole, or not at all. Throws std::runtime_error with path and reason. @when service
void write_report(const std::filesystem::path& file, const std::string& text);

}  // namespace tactus::report
