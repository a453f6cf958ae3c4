// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/starter_life.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {

void end_with_starter() {
  const char* const named = std::getenv(kEndsWithVariable);
  if (named == nullptr) return;
  const auto starter = static_cast<pid_t>(whole_number(named).value_or(0));
  (void)::unsetenv(kEndsWithVariable);
  if (starter <= 0) return;
  if (::getppid() == starter) (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It may have ended before the kernel knew of our wish.
  if (::getppid() != starter && ::kill(starter, 0) != 0 && errno == ESRCH) (void)::kill(::getpid(), SIGTERM);
}

}  // namespace tactus::rtsync
