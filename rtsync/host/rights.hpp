// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Rights of this process towards the kernel, and the explanation of a refusal.
///
/// The kernel answers EPERM to a dozen different mistakes. Here the limits, capabilities, control groups and
/// containers are read, so that the answer names the one that applies.
///
/// Threads  values; read_rights() is re-entrant.
/// RT       nothing here. @when setup or service.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "rtsync/host/provision.hpp"
#include "rtsync/host/throttle.hpp"

namespace tactus::rtsync {

/// Everything that decides whether real-time scheduling and locked memory are given.
struct Rights {
  bool cap_sys_nice = false;      ///< effective in the calling thread
  bool cap_ipc_lock = false;      ///< effective in the calling thread
  bool cap_perfmon = false;       ///< effective in the calling thread: it, or CAP_SYS_ADMIN
  bool cap_net_admin = false;     ///< effective in the calling thread
  bool bounding_sys_nice = true;  ///< false: no file capability can bring it back
  bool bounding_ipc_lock = true;
  bool initial_user_namespace = true;  ///< false: capabilities do not count for scheduling or memory limits
  bool no_new_privileges = false;      ///< capabilities of files are ignored
  bool nosuid_program = false;         ///< the program lies on a nosuid mount: the same
  bool container = false;              ///< Docker, Podman, systemd-nspawn, LXC ...
  std::optional<std::int64_t> rtprio_limit = 0;   ///< RLIMIT_RTPRIO; nothing: unlimited
  std::optional<std::int64_t> memlock_limit = 0;  ///< RLIMIT_MEMLOCK in bytes; nothing: unlimited
  std::string program = "tactus";                 ///< the path of this executable
  RtGroup group;
  std::optional<std::int64_t> events_level{};  ///< kernel.perf_event_paranoid
  bool seccomp_filter = false;                 ///< a filter of system calls is in force

  /// Returns true if a capability or limit allows it; a control group may still object.
  bool may_schedule(int priority) const;
  bool may_lock_all() const;  ///< now and all that is allocated later
};

/// Limits and capabilities are those of the calling thread; files are read below root.
Rights read_rights(const std::filesystem::path& root = "/");

/// Returns who may have forbidden a system call that the rights of this process allow: "a filter of system calls
/// (seccomp)". @when setup
std::string filter_name(const Rights& rights);

/// Explains why sched_setscheduler answered with this errno, and how to fix it.
Refusal why_no_fifo(const Rights& rights, int priority, int error);
/// Explains why sched_setaffinity for CPUs that are there answered with this errno, and how to fix it. @when setup
Refusal why_no_cpus(const Rights& rights, int error);
/// Explains why memory cannot stay locked, and how to fix it. error 0: it was not tried, because it would end
/// badly.
Refusal why_no_memory_lock(const Rights& rights, int error);
/// Explains why perf_event_open answered with this errno, and how to fix it. `level`: the greatest
/// kernel.perf_event_paranoid at which the kernel itself would allow it.
Refusal why_no_events(const Rights& rights, std::int64_t level, int error);

}  // namespace tactus::rtsync
