// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::rtsync {

/// Returns where a file of an installation lies that one of these programs or libraries belongs to: PREFIX/<file>, if
/// the program lies in PREFIX/bin, PREFIX/lib or a folder below. Empty: it is in none of them. @when setup
std::filesystem::path installed_file(const std::vector<std::filesystem::path>& of, std::string_view file);

/// Returns how a message names a page of the documentation, "units.md": as it is installed with this program,
/// "/usr/share/doc/tactus/docs/units.md", else as it lies in a checkout, "docs/units.md". @when setup
std::string documentation(std::string_view page);

/// Returns the same of the program that prepares a machine: "/usr/share/tactus/setup-bench" or "scripts/setup-bench". @when setup
std::string setup_bench();

}  // namespace tactus::rtsync
