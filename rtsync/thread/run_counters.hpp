// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counters of the kernel and the heap for the calling thread: the usual suspects when a frame was late.
///
/// Threads  counts the calling thread only.
/// RT       of_this_thread() is one short system call and never blocks: allowed when a frame was late, not in
///          every frame.
#include <cstdint>
#include <optional>

namespace tactus::rtsync {

struct RunCounters {
  std::int64_t minor_faults = 0;            ///< pages mapped without the disk
  std::int64_t major_faults = 0;            ///< pages that had to be read from the disk
  std::int64_t voluntary_switches = 0;      ///< the thread waited for something
  std::int64_t involuntary_switches = 0;    ///< the thread was pushed off its CPU
  std::optional<std::uint64_t> heap_calls;  ///< nothing where the heap is not watched

  /// The counts since the thread started.                                                    @when any
  static RunCounters of_this_thread() noexcept;

  /// Returns the change between two readings of the same thread.
  friend RunCounters operator-(const RunCounters& later, const RunCounters& earlier) noexcept {
    RunCounters between{later.minor_faults - earlier.minor_faults, later.major_faults - earlier.major_faults,
                        later.voluntary_switches - earlier.voluntary_switches,
                        later.involuntary_switches - earlier.involuntary_switches, std::nullopt};
    if (later.heap_calls && earlier.heap_calls) between.heap_calls = *later.heap_calls - *earlier.heap_calls;
    return between;
  }
  friend bool operator==(const RunCounters&, const RunCounters&) = default;
};

}  // namespace tactus::rtsync
