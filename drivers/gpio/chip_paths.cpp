// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/chip_paths.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace tactus::drivers::gpio {

std::vector<std::string> chip_paths(const std::filesystem::path& devices) {
  constexpr std::string_view kBegin = "gpiochip";
  std::vector<std::pair<unsigned, std::string>> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(devices, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kBegin)) continue;
    unsigned number = 0;
    const char* const end = name.data() + name.size();
    const auto [read_to, wrong] = std::from_chars(name.data() + kBegin.size(), end, number);
    if (wrong == std::errc{} && read_to == end) found.emplace_back(number, entry.path());
  }
  std::ranges::sort(found);
  std::vector<std::string> paths;
  paths.reserve(found.size());
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace tactus::drivers::gpio
