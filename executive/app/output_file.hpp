// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace tactus::app {

/// Throws CommandError if an option names a file that could not be written when all has run: its folder is not there or
/// takes no new file, or it is a folder itself. `run_folder`: that of --out, which the run makes; empty: not known.
/// @when setup
void check_output_file(const std::string& option, const std::filesystem::path& file,
                       const std::filesystem::path& run_folder = {});

/// Checks the file of --junit in the same way. Throws also if the file is there already and is no XML: without a name, a shell gives the option
/// the first test of `tests/*.test.yaml`.  @when setup
void check_junit_file(const std::filesystem::path& file);

}  // namespace tactus::app
