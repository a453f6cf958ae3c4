#pragma once
#include <string>

#include "executive/driver/statistics.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Why a frame was late, with the figures that show it: "blocked: job bad.step slept 3.00 ms (it gave up the
/// CPU itself 1 time)". Names the thread that took a CPU, as far as that is still there.
///
/// Threads  the service thread.
std::string text_of(const Finding& finding, const Plan& plan);

}  // namespace tactus::executive
