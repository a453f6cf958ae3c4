// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/starter_life.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

/// Returns true for a process that has ended, also where its parent has not taken that in.
bool has_ended(pid_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const std::string stat = read_host_file("/", "/proc/" + std::to_string(process) + "/stat").text;
  const std::size_t state = stat.rfind(") ");  // its name may have any letters
  return state != std::string::npos && state + 2 < stat.size() &&
         (stat[state + 2] == 'Z' || stat[state + 2] == 'X');
}

}  // namespace

void end_with_starter() {
  const char* const named = std::getenv(kEndsWithVariable);
  if (named == nullptr) return;
  const auto starter = static_cast<pid_t>(whole_number(named).value_or(0));
  (void)::unsetenv(kEndsWithVariable);
  if (starter <= 0) return;
  if (::getppid() == starter) (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It may have ended before the kernel knew of our wish.
  if (::getppid() != starter && has_ended(starter)) (void)::kill(::getpid(), SIGTERM);
}

}  // namespace tactus::rtsync
