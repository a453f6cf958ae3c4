// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Every thread of this process as the kernel sees it, and how to move one that is in the way.
///
/// A model's library may start threads of its own. They inherit the CPUs of the thread that made them, and so
/// may sit on a rig's CPU without any request.
///
/// Threads  every function is re-entrant. RT: nothing here. @when setup or service.
#include <sys/types.h>

#include <string>
#include <vector>

#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/provision.hpp"

namespace tactus::rtsync {

/// One thread: what is in force, not what was asked.
struct ThreadFacts {
  pid_t tid = 0;
  std::string name{};
  int policy = 0;              ///< the kernel's number (SCHED_OTHER, SCHED_FIFO, ...), -1 when unreadable
  std::string policy_name{};   ///< "SCHED_FIFO"
  int priority = 0;            ///< 1 .. 99 for SCHED_FIFO and SCHED_RR, else 0
  bool reset_on_fork = false;  ///< threads it makes start as SCHED_OTHER
  CpuSet cpus{};               ///< empty when unreadable
};

/// Role of a thread of this process, if it was made with one; else the name that the kernel has for a thread of this
/// machine; empty if the thread does not exist any more. Re-entrant.
std::string thread_name(pid_t tid);

/// Process of a thread of this machine; 0: it is gone. Re-entrant.
pid_t process_of(pid_t tid);

/// Ordered by tid. A thread that ends meanwhile is left out. Throws std::system_error when /proc/self/task
/// cannot be read.
std::vector<ThreadFacts> list_threads();

/// Threads of another process, without what may not be read; empty: it has ended. Re-entrant.
std::vector<ThreadFacts> threads_of(pid_t process);

/// Moves a thread of this process to SCHED_OTHER and to these CPUs. A thread that has ended disturbs no
/// longer: granted. A tid of another process is refused.
Provision evict(pid_t tid, const CpuSet& allowed);

}  // namespace tactus::rtsync
