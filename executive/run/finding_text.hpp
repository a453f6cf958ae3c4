#pragma once
#include <string>

#include "executive/driver/statistics.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/cpu_watch.hpp"

namespace tactus::executive {

/// Why a frame was late, with the figures that show it: "blocked: job bad.step slept 3.00 ms (it gave up the
/// CPU itself 1 time)". Names the thread that took a CPU, as far as that is still there; and what `cpus` counted on
/// its CPU meanwhile, where that may be the reason.
///
/// Threads  the service thread.
std::string text_of(const Finding& finding, const Plan& plan, const rtsync::CpuWatch* cpus = nullptr);

}  // namespace tactus::executive
