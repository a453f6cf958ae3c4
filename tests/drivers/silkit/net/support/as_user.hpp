// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tactus::silkit {

/// Whether `works` returns true in another process, of this user.
template <class Works>
bool works_as(uid_t user, const Works& works) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool became = user == ::getuid() || ::setresuid(user, user, user) == 0;
    ::_exit(became && works() ? 0 : 1);
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace tactus::silkit
