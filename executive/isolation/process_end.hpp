// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>

namespace tactus::executive {

/// End of the process of a model.
struct ProcessEnd {
  std::optional<siginfo_t> info{};  ///< result of waitid(); nothing: a program around the rig has reaped it
  bool overdue = false;             ///< it was killed, as a call lasted too long
  bool asked_for = false;           ///< the rig has asked it to end
  bool destroyed = true;            ///< true: its model was destroyed to the end before
};

/// Facts by which the kernel names a core file.
struct CorePlace {
  std::string pattern;    ///< /proc/sys/kernel/core_pattern
  bool uses_pid = false;  ///< /proc/sys/kernel/core_uses_pid
  pid_t pid = 0;
  std::string comm;  ///< the name of its thread
  std::string cwd;

  /// Facts of a process on this machine, as it is set. @when service
  static CorePlace here(pid_t pid, std::string comm, std::string cwd);
};

/// It ended otherwise than it was asked to.
bool is_crash(const ProcessEnd& end);
/// "was ended by SIGSEGV": what became of it, after its name, and where its core file lies.  @when service
std::string text_of(const ProcessEnd& end, const CorePlace& core);
/// Path where, by core(5), the kernel has left the core file of that signal.
std::string core_file(const CorePlace& core, int signal);

}  // namespace tactus::executive
