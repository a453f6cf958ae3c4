// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Trick's name of the first column.
inline constexpr const char* kTrkTime = "sys.exec.out.time";

/// A recording as Trick's binary file of version 10, `log_<recording>.trk`, for trick-dp, trick-qp and koviz, with its
/// `log_<recording>.header`. Rows go to the file whole. Time is seconds as double: exact nanoseconds up to 52 days.
std::unique_ptr<executive::RecordSink> trk_sink();

/// The time of a row, and back. @when any
double trk_seconds(std::int64_t ns);
std::int64_t trk_nanoseconds(double seconds);

}  // namespace tactus::drivers::record
