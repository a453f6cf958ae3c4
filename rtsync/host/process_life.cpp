// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/process_life.hpp"

#include <charconv>
#include <csignal>
#include <string>
#include <string_view>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

/// The mask of signals behind a key of /proc/TID/status; 0: it has none.
std::uint64_t mask_of(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  std::uint64_t mask = 0;
  if (at != std::string_view::npos)
    (void)std::from_chars(status.data() + at + key.size(), status.data() + status.size(), mask, 16);
  return mask;
}

/// It has got SIGKILL, or is in the middle of its end, as PF_EXITING says, or of a core file.
bool is_ending(const std::string& stat, const std::string& status) {
  constexpr std::int64_t kExiting = 0x4;
  constexpr std::int64_t kDumping = 0x200;
  constexpr std::uint64_t kKilled = std::uint64_t{1} << (SIGKILL - 1);
  constexpr std::size_t kWordOfFlags = 6;  // words behind the name
  const auto words = words_of(std::string_view(stat).substr(stat.rfind(')') + 1));
  const std::int64_t flags = words.size() > kWordOfFlags ? whole_number(words[kWordOfFlags]).value_or(0) : 0;
  return (flags & (kExiting | kDumping)) != 0 ||
         ((mask_of(status, "\nSigPnd:\t") | mask_of(status, "\nShdPnd:\t")) & kKilled) != 0;
}

/// It has ended: a zombie, or less.
bool has_ended(const std::string& stat) {
  const auto words = words_of(std::string_view(stat).substr(stat.rfind(')') + 1));
  return !words.empty() && (words[0] == "Z" || words[0] == "X");
}

}  // namespace

ProcessLife life_of(pid_t process, const std::filesystem::path& root) {
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  ProcessLife life = ProcessLife::gone;
  for (const std::filesystem::path& entry : entries_of(root / folder.substr(1))) {
    const std::string task = folder + "/" + entry.filename().string();
    const FileText stat = read_host_file(root, task + "/stat");
    if (stat.absent() || stat.text.rfind(')') == std::string::npos || has_ended(stat.text)) continue;
    if (!is_ending(stat.text, read_host_file(root, task + "/status").text)) return ProcessLife::running;
    life = ProcessLife::ending;
  }
  return life;
}

}  // namespace tactus::rtsync
