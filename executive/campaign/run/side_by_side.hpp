// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tactus::campaign {

/// Runs `count` processes, at most `at_a_time` of them at once, and returns their exit statuses in order; 128 + n: a signal n
/// ended it. `start(i)` starts one. Where it throws, or a process is lost, those that run get SIGTERM, and SIGKILL after
/// `kill_after_s`; all have ended when the exception goes on. Throws std::system_error.
///
/// Threads  that which starts them; other children of it are waited for, too.                  @when service
std::vector<int> run_side_by_side(std::size_t count, std::size_t at_a_time,
                                  const std::function<pid_t(std::size_t)>& start, double kill_after_s = 5);

}  // namespace tactus::campaign
