// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/process_end.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "rtsync/crash/signal_name.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::executive {

CorePlace CorePlace::here(pid_t pid, std::string comm, std::string cwd) {
  return {rtsync::read_host_file("/", "/proc/sys/kernel/core_pattern").text,
          rtsync::read_host_number("/", "/proc/sys/kernel/core_uses_pid") == 1, pid, std::move(comm),
          std::move(cwd)};
}

std::string core_file(const CorePlace& core, int signal) {
  const std::string& pattern = core.pattern;
  if (pattern.starts_with("|")) return "taken by " + pattern.substr(1, pattern.find(' ') - 1);
  constexpr std::string_view kPid = "pPiI";
  const std::pair<std::string_view, std::string> known[] = {
      {kPid, std::to_string(core.pid)},  {"e", core.comm},
      {"s", std::to_string(signal)},     {"u", std::to_string(::getuid())},
      {"g", std::to_string(::getgid())}, {"%", "%"}};
  std::string file;
  bool has_pid = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      file += pattern[i];
      continue;
    }
    const auto has_letter = [letter = pattern[++i]](const auto& each) {
      return each.first.find(letter) != std::string_view::npos;
    };
    const auto* const found = std::ranges::find_if(known, has_letter);
    if (found == std::end(known)) return "as core_pattern '" + pattern + "' names it";
    file += found->second;
    has_pid = has_pid || found->first == kPid;
  }
  if (!has_pid && core.uses_pid) file += "." + std::to_string(core.pid);
  return file.starts_with("/") ? file : core.cwd + "/" + file;
}

bool is_crash(const ProcessEnd& end) {
  if (!end.info) return !end.asked_for || !end.destroyed;
  const bool in_order =
      !end.overdue && end.destroyed && end.info->si_code == CLD_EXITED && end.info->si_status == 0;
  return !(end.asked_for && in_order);
}

std::string text_of(const ProcessEnd& end, const CorePlace& core) {
  if (!end.info) return "has ended";
  if (end.overdue)
    return std::string("did not return in time (half of threads.stuck_after") +
           (end.asked_for ? ", at least 1 s" : "") + ") and was killed";
  const int status = end.info->si_status;
  if (end.info->si_code == CLD_EXITED) return "ended itself with status " + std::to_string(status);
  return (status == SIGKILL ? "was killed by " : "was ended by ") + rtsync::signal_name(status) +
         (end.info->si_code == CLD_DUMPED ? "; core dump " + core_file(core, status) : "");
}

}  // namespace tactus::executive
