// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/clock/run_clock.hpp"

#include "executive/run_base/machine_facts.hpp"

namespace tactus::executive {
namespace {

/// The external clock, as summary.json has it.
Json external_clock_json(const rtsync::EdgeClock& clock, const rtsync::EdgeClockStatus& status,
                         const std::string& source) {
  Json faults = Json::object();
  for (std::size_t i = 0; i < rtsync::kClockFaults; ++i)
    faults[std::string(name_of(static_cast<rtsync::ClockFault>(i)))] = status.faults[i];
  const auto glitches = status.faults[static_cast<std::size_t>(rtsync::ClockFault::glitch)] +
                        status.faults[static_cast<std::size_t>(rtsync::ClockFault::doubled)];
  return {{"source", source},
          {"state", name_of(status.state)},
          {"edges", status.edges},
          {"missing", status.missing},
          {"max_consecutive_missing", status.max_consecutive_missing},
          {"glitches", glitches},
          {"injected", status.injected},
          {"faults", faults},
          {"relocks", status.relocks},
          {"phase_error_ns", times_json(clock.phase_errors(), {{"p99_9", 0.999}})},
          {"frequency_ppm", status.frequency_ppm},
          {"frames_locked", status.frames_locked},
          {"frames_free", status.frames_free}};
}

}  // namespace

void RunClock::summarize(Json& all, Summary what) const {
  if (what == Summary::ended && !run_.stuck)
    all["clock"].update(
        external_clock_json(*run_.pacing->edge_clock(), run_.rig.clock_status(), run_.pacing->source()));
}

void RunClock::report(LiveReport which, Json& body) {
  if (which == LiveReport::clock)
    body["external"] =
        external_clock_json(*run_.pacing->edge_clock(), status_.latest(), run_.pacing->source());
}

}  // namespace tactus::executive
