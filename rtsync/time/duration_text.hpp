// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// A time for people, three digits and a unit: "450 ns", "12.3 us", "1.2 ms", "-3 s". @when service
std::string duration_text(std::int64_t nanoseconds);
inline std::string duration_text(Nanoseconds time) { return duration_text(time.count()); }

/// Simulated time in seconds with milliseconds: "12.345 s".
std::string sim_time_text(std::int64_t nanoseconds);

}  // namespace tactus::rtsync
