// SPDX-License-Identifier: Apache-2.0
#include "executive/app/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "executive/app/commands.hpp"

namespace tactus::app {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_file(const std::string& option, const std::string& why) {
  throw CommandError(kWrongInput, option + ": " + why);
}

}  // namespace

void check_output_file(const std::string& option, const fs::path& file, const fs::path& run_folder) {
  std::error_code error;
  if (fs::is_directory(file, error)) refuse_file(option, file.string() + " is a folder; name a file");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const auto whole = [](const fs::path& path) { return fs::absolute(path / "").lexically_normal(); };
  if (!run_folder.empty() && whole(folder) == whole(run_folder)) return;
  if (!fs::is_directory(folder, error)) refuse_file(option, folder.string() + " is not a folder");
  if (!fs::exists(file, error) && ::access(folder.c_str(), W_OK) != 0)
    refuse_file(option, file.string() + " cannot be written: " + std::generic_category().message(errno) +
                            "; name a file in another folder");
}

void check_junit_file(const fs::path& file) {
  const std::string option = "--junit";
  check_output_file(option, file);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  std::ifstream text(file, std::ios::binary);
  std::string first(64, '\0');
  text.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(text.gcount()));
  const std::size_t begin = first.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  if (begin != std::string::npos && first[begin] != '<')
    refuse_file(option,
                file.string() + " is there already and is no XML; name the file to write: --junit FILE");
}

}  // namespace tactus::app
