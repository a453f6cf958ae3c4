// SPDX-License-Identifier: Apache-2.0
#pragma once
/// CPUs that the rigs of this machine have taken for their frames, so that a second rig takes others.
///
/// A claim is an abstract socket whose name says the CPU, the process and the rig: any user may read the names, and the
/// kernel drops them however the process ends. They are seen in one network namespace. Several rigs may claim one CPU:
/// who chooses sees all claims of others, and only one chooses at a time.
///
/// Threads  one owner. @when setup
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {

/// A process that has claimed a CPU, and its thread there: main, else the one with the highest priority.
struct CpuHolder {
  pid_t process = 0;  ///< 0: it is in another PID namespace, as in a container
  std::string rig;
  std::string thread;  ///< empty: it has none there yet
  std::string policy;  ///< "SCHED_FIFO"
  int priority = 0;

  /// "rig 'servo' (process 12, thread 'main' with SCHED_FIFO 80)".
  std::string text() const;
};

class CpuClaims {
 public:
  /// The environment variable TACTUS_CPU_CLAIMS, which is empty but for tests.
  static std::string default_domain();
  /// `domain`: claims of different ones do not see each other.
  explicit CpuClaims(std::string rig, std::string domain = default_domain());

  /// Keeps other rigs from choosing until what it returns is closed, or this process ends. Waits for one that chooses,
  /// as long as that at most: it may be stopped.
  Descriptor begin_choice(std::chrono::milliseconds longest = std::chrono::seconds(2)) const;
  /// Claims each CPU, beside other rigs if they have it.
  void take(const CpuSet& cpus);
  /// CPUs that others have claimed.
  CpuSet others() const;
  /// The one of the others that has claimed the CPU; of several the one with the highest priority there.
  std::optional<CpuHolder> holder(int cpu) const;
  const std::string& rig() const { return rig_; }

 private:
  template <class Use>
  void each_of_others(Use use) const;

  std::string rig_;
  std::string prefix_;  // of the sockets' names
  std::string own_;     // in them between CPU and rig: process, its PID namespace, number in the process
  std::map<int, Descriptor> held_;
};

/// Returns the rig that a process has claimed CPUs for; empty: it has none, or other network and PID namespaces.
std::string rig_with_claims(pid_t process);

}  // namespace tactus::rtsync
