// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// State of a thread that does not come back, seen from another one.
///
/// Threads  any.
struct ThreadLook {
  int ready = 0;                         ///< number of looks at which it had a CPU, or wanted one
  int asleep = 0;                        ///< number of looks at which it slept: for a lock, a time, or I/O
  Nanoseconds in_user{0}, in_kernel{0};  ///< it used its CPU meanwhile, in steps of 10 ms as a rule
  Nanoseconds slept{0};
  std::uint32_t blocks = 0;  ///< it gave up its CPU itself
  std::int32_t call = -1;    ///< the number of the system call that it slept in; -1: not known

  bool sleeps() const { return asleep > ready; }
  bool computes() const { return ready > asleep && in_user.count() > 0 && in_user >= in_kernel; }
};

/// Looks every 10 ms, until it is clear what a thread of this process does: for 100 ms if it sleeps, for a second at
/// most if it is stopped, and for ten if others have its CPU. All stays 0 for one that has ended.     @when service
ThreadLook look_at_thread(pid_t tid);

}  // namespace tactus::rtsync
