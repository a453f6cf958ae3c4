// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Request of the rig to the machine, and its result.
///
/// Asking the kernel for real time can be refused for reasons that all look like "Operation not permitted".
/// Nothing here fails silently: each request ends as a Provision with the cause in plain words and the
/// command that fixes it.
#include <string>

namespace tactus::rtsync {

/// One request and what became of it.
struct Provision {
  std::string what;      ///< the request: "SCHED_FIFO priority 80"
  bool granted = false;  ///< exactly what was asked is in force
  std::string got;       ///< state in force now: "SCHED_OTHER"
  std::string cause;     ///< reason of a refusal; empty when granted
  std::string fix;       ///< the command that would fix it; empty when granted
  /// The right that a user is not given, as a person calls it: "SCHED_FIFO"; else empty.
  std::string lacks{};
  std::string forbidden_by{};    ///< see Refusal
  std::string forbidden_call{};  ///< see Refusal
};

/// The reason of a refusal and the command that removes the problem.
struct Refusal {
  std::string cause;
  std::string fix;
  std::string lacks{};  ///< see Provision
  /// The one that forbids what the rights of this user allow, so that no right mends it: "a filter of system calls (seccomp)",
  /// "the control group /rig"; else empty.
  std::string forbidden_by{};
  std::string forbidden_call{};  ///< the system call that a filter forbids: "perf_event_open"; else empty
};

/// "SCHED_FIFO priority 80: refused (instead: SCHED_OTHER): <cause>; fix: <fix>", or "...: granted".
std::string sentence(const Provision& provision);
/// A request that was granted.
Provision granted(std::string what, std::string got);
/// A request that was refused.
Provision refused(std::string what, std::string got, Refusal why);
/// The system's own words for an errno: "Operation not permitted (EPERM)".
std::string error_words(int error);
/// The fix for a setting that is made when the kernel starts.
std::string boot_fix(const std::string& parameter);

}  // namespace tactus::rtsync
