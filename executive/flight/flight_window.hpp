// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/driver/live_knowledge.hpp"
#include "executive/flight/flight_file.hpp"

namespace tactus::executive {

/// Some frames around one, with all that the flight recorder knows of their time: for the page's timeline, or
/// as a .pftrace.                                                                            @when service
LiveTrace trace_window(const FlightFile& file, const LiveTraceCall& call);

}  // namespace tactus::executive
