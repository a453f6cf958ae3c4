// SPDX-License-Identifier: Apache-2.0
#include "executive/app/junit_file.hpp"

#include <cstddef>
#include <fstream>
#include <string>
#include <system_error>

#include "executive/app/commands.hpp"

namespace tactus::app {

namespace fs = std::filesystem;

void check_junit_file(const fs::path& file) {
  const auto refuse = [](const std::string& why) { throw CommandError(kWrongInput, "--junit: " + why); };
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) refuse(folder.string() + " is not a folder");
  if (fs::is_directory(file, error)) refuse(file.string() + " is a folder; name a file");
  if (!fs::is_regular_file(file, error)) return;
  std::ifstream text(file, std::ios::binary);
  std::string first(64, '\0');
  text.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(text.gcount()));
  const std::size_t begin = first.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (begin != std::string::npos && first[begin] != '<')
    refuse(file.string() + " is there already and is no XML; name the file to write: --junit FILE");
}

}  // namespace tactus::app
