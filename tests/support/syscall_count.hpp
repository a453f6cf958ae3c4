// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counts the system calls of one thread of another process, as `strace -c` would, with nothing missed and
/// nothing installed: "a frame makes one system call, the sleep" becomes a test.
///
///     Process rig({.argv = {...}});
///     const SyscallCount count = count_syscalls(tid, {.until = {SYS_clock_nanosleep, 1000}});
///     EXPECT_EQ(count.total, 1000U) << count;
///
/// A call is counted when it is made. Not counted: the call the thread was in when the watching began, and a
/// call the kernel starts again by itself after an interruption. Every call costs the thread two stops, so
/// its frames run late while it is watched; counts do not depend on that.
///
/// Needs  to be the parent of the process, or CAP_SYS_PTRACE.
/// Leaves the thread running, and a dead process for its parent to wait for.
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace tactus::test {

struct SyscallCount {
  std::map<long, std::uint64_t> by_number;
  std::uint64_t total = 0;
  bool reached = false;  ///< `until` was reached
  bool exited = false;   ///< the thread ended while it was watched

  std::uint64_t of(long number) const;
};
/// "1003 calls: clock_nanosleep 1000, futex 3"
std::ostream& operator<<(std::ostream& stream, const SyscallCount& count);

/// "clock_nanosleep"; "system call 999" for one that has no name here.
std::string syscall_name(long number);

struct CallsOf {
  long number = 0;
  std::uint64_t calls = 0;
};

struct CountOptions {
  /// Ends the watching when that many calls of that number have been made (at the start of the last one).
  std::optional<CallsOf> until{};
  /// Ends it in any case; the hard limit of how long count_syscalls takes is this and ten seconds.
  std::chrono::milliseconds limit{10'000};
  /// Called once the thread is watched: every call it makes after this one began is counted.
  std::function<void()> watching{};
};

/// Throws std::system_error when the thread cannot be watched (gone, not ours, watched by a debugger).
SyscallCount count_syscalls(pid_t tid, const CountOptions& options = {});

/// The threads of a process by their roles: the names in /proc/PID/task/TID/comm without the rig. Two of one name: the
/// older.
std::map<std::string, pid_t> threads_of(pid_t pid);

}  // namespace tactus::test
