// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/report/page.hpp"
#include "executive/report/run_data.hpp"

namespace tactus::report {

/// Adds a mark for each event, step, fault and stimulus of the journal that lies on the plot, whose x is simulated time
/// in seconds. Those that are close are one mark with their number. None where the run went back: a frame number
/// is then no place.
void mark_events(Plot& plot, const RunData& run);

}  // namespace tactus::report
