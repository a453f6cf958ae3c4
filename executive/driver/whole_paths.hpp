// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "config/node.hpp"
#include "config/shape.hpp"

namespace tactus::executive {

/// Type of a text that is a file; a relative path begins in the folder of the rig file.
inline constexpr const char* kFileType = "file";

/// Returns the settings of a section with whole paths of files that are there. @when setup
config::Node with_whole_paths(const config::Section& section, const config::Node& settings,
                              const std::filesystem::path& folder);

}  // namespace tactus::executive
