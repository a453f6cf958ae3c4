// SPDX-License-Identifier: Apache-2.0
#include "executive/model/shared_dependency.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "executive/model/loaded_object.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

bool belongs_to_the_languages(std::string_view name) {
  constexpr std::string_view kNames[] = {"libstdc++.so", "libgcc_s.so",   "libc.so",    "libm.so",
                                         "libdl.so",     "libpthread.so", "librt.so",   "ld-linux",
                                         "libc++.so",    "libc++abi.so",  "libasan.so", "libtsan.so",
                                         "libubsan.so",  "libgcov.so",    "libgomp.so", "libatomic.so"};
  return std::ranges::any_of(kNames, [&](std::string_view each) { return name.starts_with(each); });
}

void add_folders(std::vector<fs::path>& folders, std::string_view list, const fs::path& origin) {
  for (const std::string_view part : rtsync::parts_of(list, ':')) {
    std::string folder(part);
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"})
      if (const std::size_t at = folder.find(name); at != std::string::npos)
        folder.replace(at, name.size(), origin.string());
    if (!folder.empty() && folder.find('$') == std::string::npos) folders.emplace_back(folder);
  }
}

/// Folders in which the loader looks for what an object needs, before those of the system.
std::vector<fs::path> folders_of(const LoadedObject& object) {
  const fs::path origin = fs::path(object.file()).parent_path();
  const std::string_view run_path = object.text_of(DT_RUNPATH);
  std::vector<fs::path> folders;
  if (run_path.empty()) add_folders(folders, object.text_of(DT_RPATH), origin);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read at setup, when it is constant
  if (const char* const list = std::getenv("LD_LIBRARY_PATH")) add_folders(folders, list, origin);
  add_folders(folders, run_path, origin);
  return folders;
}

bool has_same_bytes(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::file_size(one, error) != fs::file_size(other, error)) return false;
  std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(first), {}, std::istreambuf_iterator<char>(second), {});
}

}  // namespace

std::optional<OtherDependency> find_other_dependency(void* library, const std::set<const void*>& before) {
  link_map* first = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&first)) != 0 || before.contains(first))
    return std::nullopt;
  const std::vector<const link_map*> all = all_maps();
  if (all.empty()) return std::nullopt;
  const std::set<const link_map*> shared = closure_of(*all.front(), all);  // what the program needs
  for (const link_map* const each : all) {
    if (before.contains(each)) continue;
    const LoadedObject object(*each);
    const std::vector<fs::path> folders = folders_of(object);
    for (const std::string& name : object.needed()) {
      if (name.find('/') != std::string::npos || belongs_to_the_languages(name)) continue;
      std::error_code error;
      const auto folder = std::ranges::find_if(
          folders, [&](const fs::path& path) { return fs::is_regular_file(path / name, error); });
      if (folder == folders.end()) continue;
      const auto loaded = std::ranges::find_if(all, [&](const link_map* map) {
        return *map->l_name != '\0' && LoadedObject(*map).is_called(name);
      });
      if (loaded == all.end() || shared.contains(*loaded)) continue;
      const fs::path own = *folder / name;
      if (fs::equivalent(own, (*loaded)->l_name, error) || error || has_same_bytes(own, (*loaded)->l_name))
        continue;
      return OtherDependency{object.file(), name, own.string(), (*loaded)->l_name,
                             object.taken_from(**loaded).value_or("")};
    }
  }
  return std::nullopt;
}

}  // namespace tactus::executive
