// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// A recording as MDF 4.10, for CANape, MDA, asammdf: one group, whose master is the simulated time in
/// nanoseconds, shown in seconds; the file's start time is the date of simulated time 0.
///
/// What is written at a flush is a DT block and a DL block that leads to it; then one aligned write of eight
/// bytes links it, and another makes the record count larger. So the file is finalised at every moment, and a
/// kill costs what was not flushed.
std::unique_ptr<executive::RecordSink> mdf4_sink();

}  // namespace tactus::drivers::record
