// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Runs a piece of a test in a process of its own: for what cannot be undone (locked memory, lost
/// capabilities).
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>

namespace tactus::rtsync {

/// The body's answer, 0 .. 99; 100 when it threw, 101 when it was killed, 102 when there was no process.
inline int in_scratch_process(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return 102;
  if (child == 0) {
    int answer = 100;
    try {
      answer = body();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%s\n", failure.what());
    }
    std::fflush(nullptr);
    ::_exit(answer);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

/// From here on this process is an ordinary user's: no capabilities, no real-time priority, little locked
/// memory.
inline bool lose_every_right() {
  const rlimit none{0, 0};
  const rlimit little{65536, 65536};
  if (::setrlimit(RLIMIT_RTPRIO, &none) != 0 || ::setrlimit(RLIMIT_MEMLOCK, &little) != 0) return false;
  cap_t const caps = ::cap_init();
  const bool lost = caps != nullptr && ::cap_set_proc(caps) == 0;
  if (caps != nullptr) ::cap_free(caps);
  return lost;
}

}  // namespace tactus::rtsync
