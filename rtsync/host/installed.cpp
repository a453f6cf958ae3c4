// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/installed.hpp"

#include <dlfcn.h>

#include <system_error>

namespace tactus::rtsync {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  ///< PREFIX/lib/x86_64-linux-gnu/tactus

/// The program of this process, and the file that holds this code: a library in somebody's program.
std::vector<fs::path> own_files() {
  std::vector<fs::path> files;
  std::error_code error;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) files.push_back(program);
  static const char here = 0;
  Dl_info info{};
  if (::dladdr(&here, &info) != 0 && info.dli_fname != nullptr)
    if (const fs::path file = fs::canonical(info.dli_fname, error); !error) files.push_back(file);
  return files;
}

std::string named(const std::string& installed, const std::string& in_checkout) {
  const fs::path found = installed_file(own_files(), installed);
  return found.empty() ? in_checkout : found.string();
}

}  // namespace

fs::path installed_file(const std::vector<fs::path>& of, std::string_view file) {
  for (const fs::path& each : of) {
    fs::path prefix = each.parent_path();
    for (int level = 0; level < kDeepest && prefix.has_relative_path(); ++level) {
      prefix = prefix.parent_path();
      std::error_code error;
      if (fs::path found = prefix / file; fs::is_regular_file(found, error)) return found;
    }
  }
  return {};
}

std::string documentation(std::string_view page) {
  return named("share/doc/tactus/docs/" + std::string(page), "docs/" + std::string(page));
}

std::string setup_bench() { return named("share/tactus/setup-bench", "scripts/setup-bench"); }

}  // namespace tactus::rtsync
