// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

namespace tactus::rtsync {

/// The job that a thread of the rig runs, and since when: a cell for each thread, written by it alone. Whoever asks
/// reads this cell: the watchdog of stuck threads, causes, crash reports, the witness, the flight recorder, clients. It
/// lies in memory that outlives the process, where there is such: that of the flight recorder, else of the witness.
///
/// Threads  one writer; any readers, also in other processes.
/// RT       plain stores.
struct RunningJob {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  alignas(64) std::atomic<std::uint32_t> job{kNone};  ///< index of the plan
  std::atomic<std::uint64_t> since{0};                ///< ticks at which the job before ended; 0: not known
};

}  // namespace tactus::rtsync
