// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/resource.h>

#include <functional>
#include <optional>

#include "rtsync/host/provision.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// The kernel's side of it, for tests: what answers like getrlimit and setrlimit of RLIMIT_RTTIME, with 0 or
/// an errno.
struct CpuTimeKernel {
  std::function<int(rlimit&)> get = nullptr;
  std::function<int(const rlimit&)> set = nullptr;
};

/// Limit on how long a real-time thread may run without ever sleeping (RLIMIT_RTTIME), for as long as this
/// lives.
///
/// The kernel sends SIGXCPU when a thread of SCHED_FIFO or SCHED_RR has run for that long, which the crash
/// handler turns into safe outputs and an end; and SIGKILL a second later. A thread that only spins runs into
/// it too, however well it is. Ordinary threads have no such limit. The kernel counts in ticks: on a CPU
/// whose tick is stopped (nohz_full) it counts far too slowly, and a StuckThreadWatchdog is what helps.
///
/// Threads  one owner; the limit is the process's. RT: nothing here. @when setup
class CpuTimeLimit {
 public:
  /// Never throws for a refusal: see provision(). Rounded up to microseconds.
  explicit CpuTimeLimit(Nanoseconds most_without_sleep, CpuTimeKernel kernel = {});
  /// Restores the limit. Without CAP_SYS_RESOURCE the hard limit cannot be raised again: then it stays.
  ~CpuTimeLimit();
  CpuTimeLimit(const CpuTimeLimit&) = delete;
  CpuTimeLimit& operator=(const CpuTimeLimit&) = delete;

  const Provision& provision() const { return provision_; }

 private:
  Provision apply(Nanoseconds most_without_sleep);

  CpuTimeKernel kernel_;
  std::optional<rlimit> before_;  // nothing: unchanged
  Provision provision_;
};

}  // namespace tactus::rtsync
