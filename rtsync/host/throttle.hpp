// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Share of a CPU that Linux leaves to a SCHED_FIFO thread that does not sleep.
///
/// Four mechanisms, each of which stops a spinning thread for its own reason:
///   - the real-time throttle of kernels before 6.12: sched_rt_runtime_us of every sched_rt_period_us;
///   - the budget of the thread's control group, where the kernel has CONFIG_RT_GROUP_SCHED;
///   - the fair server of kernels from 6.12 on: ordinary threads that starve get runtime of every period;
///   - RLIMIT_RTTIME, which kills a thread that does not sleep within this time.
///
/// Threads  values; every function is re-entrant.
/// RT       nothing here: files are read. @when setup or service.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// The control group that rations this process's real-time threads (CONFIG_RT_GROUP_SCHED).
struct RtGroup {
  std::optional<bool> in_kernel;             ///< CONFIG_RT_GROUP_SCHED; nothing: not known
  std::string path{};                        ///< the cpu control group: "/user.slice"
  bool unified = false;                      ///< cgroup v2, which has no file to set the budget with
  std::string runtime_file{};                ///< cpu.rt_runtime_us of that group; "" when there is none
  std::optional<std::int64_t> runtime_us{};  ///< runtime of every period; 0 forbids SCHED_FIFO altogether
  std::optional<std::int64_t> period_us{};
};
RtGroup read_rt_group(const std::filesystem::path& root = "/");

/// The fair server of one CPU.
struct FairServer {
  int cpu = 0;
  std::int64_t runtime_ns = 0;  ///< 0: switched off
  std::int64_t period_ns = 0;
};

struct ThrottleFacts {
  std::optional<std::int64_t> rt_runtime_us{};  ///< -1: no throttle
  std::optional<std::int64_t> rt_period_us{};
  std::optional<KernelVersion> kernel{};
  std::vector<FairServer> fair_servers{};  ///< empty when unreadable, or on an older kernel
  std::string
      fair_server_problem{};         ///< reason why they could not be read; "" when they were, or are not due
  bool fair_servers_hidden = false;  ///< debugfs is not mounted
  RtGroup group{};
  std::optional<std::int64_t> rttime_limit_us{};  ///< RLIMIT_RTTIME; nothing: unlimited

  /// Returns true for kernels from 6.12 on, if the release could be read.
  bool has_fair_server() const;
  /// The part of a CPU of the set (all CPUs for an empty set) a SCHED_FIFO thread may use before it is
  /// stopped: 0 .. 1, the least of all that is known. What could not be read counts with the kernel's
  /// default; nothing when not even the kernel's release is known.
  std::optional<double> share(const CpuSet& cpus = {}) const;
  /// Everything that would stop or kill a thread that needs this share of a CPU without sleeping; when
  /// nothing could be read, that.
  std::vector<Refusal> stops(double share_needed, const CpuSet& cpus = {}) const;
};

ThrottleFacts read_throttle(const std::filesystem::path& root = "/");

}  // namespace tactus::rtsync
