// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/code_map.hpp"

#include <charconv>
#include <optional>
#include <sstream>
#include <string>

#include "rtsync/host/host_file.hpp"

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
  std::istringstream lines(read_host_file(root, "/proc/" + process + "/maps").text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string range;
    std::string rights;
    std::string offset;
    std::string device;
    std::string inode;
    std::string path;
    words >> range >> rights >> offset >> device >> inode >> path;
    if (rights.size() < 3 || rights[2] != 'x' || !path.ends_with("/libc.so.6")) continue;
    Library found{0, 0, offset + " " + device + " " + inode};
    const char* const last = range.data() + range.size();
    const auto begin = std::from_chars(range.data(), last, found.begin, 16);
    if (begin.ec != std::errc{} || begin.ptr == last) return std::nullopt;
    if (std::from_chars(begin.ptr + 1, last, found.end, 16).ec != std::errc{}) return std::nullopt;
    return found;
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
