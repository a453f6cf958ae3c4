// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "executive/frame/frame_note.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/cpu_watch.hpp"

namespace tactus::executive {

/// Explains why a frame was late, with the figures that show it: "blocked: job bad.step slept 3.00 ms (it
/// gave up the CPU itself 1 time)". Names the thread that took a CPU, if that still exists; and what `cpus`
/// counted on its CPU meanwhile, if that may be the reason.
///
/// Threads  the service thread.
std::string text_of(const Finding& finding, const Plan& plan, const rtsync::CpuWatch* cpus = nullptr);
/// The same of a frame: its cause, and the next one with its share of the lateness: "preempted: ... (96 %);
/// beside it, 4 %: computed: job bad.step computed for 2.00 ms".
std::string text_of(const FrameNote& note, const Plan& plan, const rtsync::CpuWatch* cpus = nullptr);
/// Culprit in few words: a job, a thread, an interrupt; empty: not known.
std::string culprit_of(const Finding& finding, const Plan& plan);
/// The same behind the word of the cause; empty, too, where that word says it: "machine_stopped".
std::string culprit_beside_cause(const Finding& finding, const Plan& plan);

/// A figure that was looked at.
struct FindingFigure {
  const char* name;
  double value;
  const char* unit;               ///< "ns", "%", or "": a number
  std::optional<double> usual{};  ///< usual value of that figure in other frames
};
/// All that was looked at, what says most first.
std::vector<FindingFigure> figures_of(const Finding& finding);
/// Time for which its CPU showed no sign of life, whatever ran there.
rtsync::Nanoseconds still_of(const Finding& finding);

}  // namespace tactus::executive
