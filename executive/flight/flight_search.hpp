// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "executive/flight/flight_file.hpp"

namespace tactus::executive {

/// Position from which the ring of a thread must be read for a client's request: searched from the newest
/// record back. The amount that is held costs no time, if the requested part is in it.

/// The record of the main thread with which a FlightView of the latest frame of that number begins, and of `before`
/// frames before it; nothing: the latest one of all. 0: such a view needs all that is held.  @when service
std::uint64_t start_of_frames(const FlightFile& file, std::optional<std::int64_t> frame, std::int64_t before);

/// The record of a thread after which all its jobs and waits are that ended at `since`, in ticks, or later.
/// @when service
std::uint64_t start_of_jobs(const FlightFile& file, std::size_t ring, std::uint64_t since);

/// Ticks as nanoseconds; `scale` as in FlightPlan.
std::int64_t flight_ticks_as_ns(std::uint64_t ticks, std::uint64_t scale);

/// Bounds a time: a rig that crashed may have left one that is none; nothing overflows all the same.
inline std::int64_t bounded_ns(std::int64_t ns) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return std::clamp(ns, -kMost, kMost);
}

}  // namespace tactus::executive
