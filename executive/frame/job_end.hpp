// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/crash/running_job.hpp"

namespace tactus::executive {

/// No job of the plan.
inline constexpr std::uint32_t kNoPlanJob = rtsync::RunningJob::kNone;

/// A moment: `job` ended, and the next one began. No job: one began after a while in which none ran. A frame writes one
/// of these for each call.
struct JobEnd {
  std::uint64_t ticks = 0;
  std::uint32_t job = kNoPlanJob;
  std::uint32_t heap_calls = 0;  ///< calls of the thread until then; only differences mean something
};

}  // namespace tactus::executive
