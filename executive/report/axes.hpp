// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "executive/report/page.hpp"

namespace tactus::report {

/// "12.3 µs", three digits.
std::string time_text(std::int64_t ns);
/// "36 000".
std::string count_text(std::int64_t count);
/// "1 frame", "36 000 frames".
std::string counted(std::int64_t count, const std::string& what);
/// "81 %", "0.04 %", "30 ppm".
std::string share_text(double share);
/// "1.23", "0.0026": three digits.
std::string digits_text(double value);
/// "12.5 s", "1 h 02 min".
std::string span_text(std::int64_t ns);

/// A logarithmic axis of times, with a tick for each power of ten. The ends are powers of ten around the values.
Axis time_axis(std::int64_t least_ns, std::int64_t greatest_ns);
/// A symmetric logarithmic one, for slack.
Axis slack_axis(std::int64_t least_ns, std::int64_t greatest_ns, std::int64_t period_ns);
/// A linear one with some round ticks, the unit after them.
Axis linear_axis(double least, double greatest, const std::string& unit);
/// Simulated time in seconds.
Axis run_axis(std::int64_t begin_ns, std::int64_t end_ns);
/// Shares of `count` frames, from all down to one.
Axis share_axis(std::uint64_t count);
/// Counts of frames, logarithmic from 0.5.
Axis count_axis(std::uint64_t most);

}  // namespace tactus::report
