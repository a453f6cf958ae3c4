// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/code_map.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/host_file.hpp"
#include "rtsync/joined.hpp"

namespace tactus::rtsync {
namespace {

/// The code of the C library in a process.
struct Library {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string file;  ///< its place in it, device, inode
};

/// Source: proc_pid_maps(5).
std::optional<Library> find_library(const std::filesystem::path& root, const std::string& process) {
  const std::string maps = read_host_file(root, "/proc/" + process + "/maps").text;
  for (const std::string_view line : lines_of(maps)) {
    const std::vector<std::string_view> words = words_of(line);  // range, rights, offset, device, inode, path
    if (words.size() < 6 || words[1].find('x') == std::string_view::npos || !words[5].ends_with("/libc.so.6"))
      continue;
    const std::size_t dash = words[0].find('-');
    const auto begin = read_number<std::uint64_t>(words[0].substr(0, dash), 16);
    const auto end = read_number<std::uint64_t>(words[0].substr(dash + 1), 16);
    if (!begin || !end) return std::nullopt;
    return Library{*begin, *end, joined(std::span(words).subspan(2, 3), " ")};
  }
  return std::nullopt;
}

}  // namespace

CodeMap CodeMap::of_process(pid_t process, const std::filesystem::path& root) {
  const auto there = find_library(root, std::to_string(process));
  const auto here = find_library(root, "self");
  if (!there || !here || there->file != here->file) return {0, 0, 0};
  return {there->begin, there->end, here->begin};
}

}  // namespace tactus::rtsync
