// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tactus::executive {

/// Explains why a file is not a library that this process can load, and how to fix that; empty: it may be
/// one. Looks before the loader does, which crashes on a truncated file. @when setup
std::string problem_of_library(const std::filesystem::path& file);

/// The loader's reason, with what it means and how it is mended. @when setup
std::string explained(const std::filesystem::path& file, const std::string& reason);

/// The mount point under which a file lies: the longest of /proc/self/mountinfo. @when setup
std::string mount_point_of(const std::filesystem::path& file, std::string_view mountinfo);

}  // namespace tactus::executive
