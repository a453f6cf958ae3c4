// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "config/json.hpp"

namespace tactus::campaign {

/// Returns what the results in a folder tell: the pass rate of draws, quantiles of margins and of what is measured, and the rank correlation of each
/// margin with each number that was drawn. Intervals are there only for independent draws, otherwise the reason why not:
/// `monte_carlo` with one rig and no repetition; the method is that of the campaign's file, which is read for it. Throws
/// DatabaseError; config::ConfigError where the file cannot be read any more.                   @when service
///
///     {"campaign": "servo tolerances", "cases": 150, "of": 150, "draws": {...}, "independent": true, "margins": [...], "measured": [...], "correlations": [...]}
config::Json figures(const std::filesystem::path& folder);
/// Returns the same for people.                                                                  @when service
std::string figures_text(const config::Json& figures);

/// Compares the results in two folders, case by case: cases are the same that have the same test and drawn values. Throws
/// DatabaseError.                                                                                @when service
config::Json comparison(const std::filesystem::path& before, const std::filesystem::path& after);
/// Returns the same for people.                                                                  @when service
std::string comparison_text(const config::Json& comparison);

}  // namespace tactus::campaign
