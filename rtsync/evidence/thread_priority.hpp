// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Priorities as the kernel counts them: below 0 SCHED_DEADLINE, 0 to 98 SCHED_FIFO and SCHED_RR (99 minus theirs), from
/// 100 on ordinary threads.
inline constexpr std::int16_t kNoPriority = INT16_MIN;  ///< not known
inline constexpr std::int16_t kFirstOrdinary = 100;

/// Returns whether a known priority is that of a real-time thread.  @when any
constexpr bool is_realtime_priority(std::int16_t priority) TACTUS_RT { return priority < kFirstOrdinary; }

/// The name of a thread as the kernel has it, with its 0 at the end.
using ThreadName = std::array<char, 16>;

}  // namespace tactus::rtsync
