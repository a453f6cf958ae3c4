// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "rtsync/time/time.hpp"

namespace tactus::executive {

/// Task that is released every period, takes the same time each time, and must have ended by its deadline.
struct PeriodicTask {
  std::string name;
  int priority = 0;  ///< the higher goes first
  rtsync::Nanoseconds takes{0};
  rtsync::Nanoseconds period{0};    ///< > 0
  rtsync::Nanoseconds deadline{0};  ///< deadline, at most the period
};

struct ResponseTime {
  /// Longest time from a release to the end. If the deadline is missed: a time beyond it that is needed at
  /// least.
  rtsync::Nanoseconds time{0};
  bool in_time = true;
};

/// The response times of tasks that share one CPU under fixed priorities with preemption: the least R with
///
///     R = C + sum over all tasks j of no lower priority of ceil(R / Tj) Cj
///
/// found by iteration from C (M. Joseph, P. Pandya: Finding Response Times in a Real-Time System, The Computer
/// Journal 29(5), 1986; N. Audsley et al.: Applying New Scheduling Theory to Static Priority Pre-emptive
/// Scheduling, Software Engineering Journal 8(5), 1993). Tasks of the same priority are taken for higher ones,
/// as under SCHED_FIFO either may come first. Exact where all can be released at once; blocking, the
/// kernel's own time and release jitter are not in it.
///
/// Threads  a pure function of setup time.
std::vector<ResponseTime> response_times(std::span<const PeriodicTask> tasks);

}  // namespace tactus::executive
