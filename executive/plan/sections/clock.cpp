// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <string>

#include "executive/plan/sections.hpp"
#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/wait/edge_sleeper.hpp"

namespace tactus::executive {
namespace {

/// Reports settings that exclude external edges.
void check_realtime_beside_edges(Draft& draft) {
  const RealtimeSection& realtime = draft.settings.realtime;
  const ClockSection& clock = draft.settings.clock;
  const auto refuse = [&](const char* key, const std::string& why, const char* needed) {
    draft.problems.add(clock.origin.place, std::string("realtime.") + key,
                       why + "; with clock.driver: " + clock.driver.value + " it has to be " + needed);
  };
  if (realtime.clock != ClockKind::monotonic)
    refuse("clock", "the edges' time stamps are in CLOCK_MONOTONIC", "monotonic");
  if (realtime.ratio != 1) refuse("ratio", "the edges say how long a frame is", "1");
  if (!realtime.sleep_timer) refuse("sleep_timer", "reading the clock alone sees no edge", "yes");
}

/// Reports keys that only edges give a meaning: who wrote them takes the frames for clocked from outside.
void check_keys_without_edges(Draft& draft) {
  const ClockSection& clock = draft.settings.clock;
  const config::Node unset = clock_fields().to_node(ClockSection{});
  const config::Node given = clock_fields().to_node(clock);
  for (const config::Node::Entry& entry : given.entries()) {
    const config::Node* const otherwise = unset.find(entry.key);
    if (otherwise == nullptr || *otherwise == entry.value) continue;
    draft.problems.add(
        clock.origin.place, clock.origin.path + "." + entry.key,
        "has no effect with driver: internal, as frames then follow the machine's clock and no "
        "edges; name the driver of the line, as driver: gpio, or remove the key");
  }
}

}  // namespace

void read_clock(Draft& draft) {
  ClockSection& clock = draft.settings.clock;
  if (!clock.external()) {
    const config::Context context(draft.problems, clock.origin.path);
    for (const config::Node::Entry& entry : clock.device.entries())
      clock_fields().unknown_key(entry, context, clock_fields().section());
    return check_keys_without_edges(draft);
  }
  try {
    const rtsync::EdgeClock checked(clock.settings(draft.plan.frame), draft.rig.variables.clock());
    draft.clock_delay = std::max(rtsync::EdgeSleeper::kBeginWait, checked.late_limit());
  } catch (const std::invalid_argument& error) {
    draft.problems.add(clock.origin, error.what());
  }
  check_realtime_beside_edges(draft);
  draft.rig.variables.add_clock();
  if (const auto library = draft.load_driver("clock", clock.driver)) {
    draft.rig.clock_driver = library->make<ClockDriver>();
    draft.rig.clock_driver->read(clock.device, clock.origin.path, draft.problems);
    clock.device = draft.rig.clock_driver->resolved();
  }
}

}  // namespace tactus::executive
