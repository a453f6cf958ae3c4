// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/process_end.hpp"

#include <unistd.h>

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
  std::string file;
  bool has_pid = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      file += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'p':
      case 'P':
      case 'i':
      case 'I':
        file += std::to_string(core.pid);
        has_pid = true;
        break;
      case 'e':
        file += core.comm;
        break;
      case 's':
        file += std::to_string(signal);
        break;
      case 'u':
        file += std::to_string(::getuid());
        break;
      case 'g':
        file += std::to_string(::getgid());
        break;
      case '%':
        file += '%';
        break;
      default:
        return "as core_pattern '" + pattern + "' names it";
    }
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
