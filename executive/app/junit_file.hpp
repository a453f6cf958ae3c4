// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace tactus::app {

/// Throws CommandError if `--junit` names a file that could not be written when all has run, or that is there already and
/// is no XML: without a name, a shell gives the option the first test of `tests/*.test.yaml`.  @when setup
void check_junit_file(const std::filesystem::path& file);

}  // namespace tactus::app
