// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tactus::drivers::gpio {

/// The paths of all GPIO chips, in the order of their numbers; none where the folder cannot be read.
/// @when setup or service
std::vector<std::string> chip_paths(const std::filesystem::path& devices = "/dev");

}  // namespace tactus::drivers::gpio
