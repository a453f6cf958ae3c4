// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A real-time thread of a benchmark, on a machine that must not be stopped by it.
#include <optional>
#include <string>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::benchmark {

constexpr int kPriority = 80;

/// SCHED_FIFO, on one CPU.
rtsync::ThreadSettings realtime_thread(int cpu);

/// Reason why this machine cannot be asked for real time; nothing when it can. Has the kernel end this program should a
/// thread compute for 0.4 s without a sleep.
std::optional<std::string> obstacle_to_realtime(int cpu);

}  // namespace tactus::benchmark
