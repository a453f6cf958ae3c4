// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The kernel's tracepoints for rigs that tests start.
///
///     if (see_tracepoints()) EXPECT_LE(unknown, few);
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace tactus::test {

/// Lets this process, and those that it starts, see the kernel's tracepoints: mounts them for itself alone where they are
/// not mounted and it is permitted. False: they cannot be seen, and causes that only they tell apart are unknown.
inline bool see_tracepoints() {
  constexpr const char* kFolder = "/sys/kernel/tracing";
  const auto seen = [] { return ::access("/sys/kernel/tracing/events/sched/sched_switch/id", R_OK) == 0; };
  return seen() ||
         (::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
          ::mount("nodev", kFolder, "tracefs", 0, nullptr) == 0 && seen());
}

}  // namespace tactus::test
