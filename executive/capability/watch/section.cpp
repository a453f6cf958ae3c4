// SPDX-License-Identifier: Apache-2.0
// guardian_timeout and the watchdog section: who watches over the frames must not take a slow one for none.
// signs_of_life: they are not asked for in a rig without events of the kernel, or in one that spins.
#include <algorithm>

#include "executive/plan/sections.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

namespace {

void check_signs_of_life(Draft& draft) {
  const RigSettings& settings = draft.settings;
  if (!settings.signs_of_life) return;
  const bool spins = settings.realtime.sleeper == rtsync::SleeperKind::spin || !settings.realtime.sleep_timer;
  if (!settings.kernel_events)
    draft.problems.add(*settings.signs_of_life,
                       "has no effect: they are events of the kernel, and 'kernel_events: no' asks for none; "
                       "remove one of the two");
  else if (spins)
    draft.problems.add(*settings.signs_of_life,
                       "has no effect: a rig that spins is not interrupted for them; let it sleep "
                       "(realtime.sleeper: hybrid), or remove it");
}

}  // namespace

void check_watchers(Draft& draft) {
  check_signs_of_life(draft);
  const RigSettings& settings = draft.settings;
  const rtsync::Period frame = rtsync::real_period(draft.plan.frame, settings.realtime.ratio);
  const rtsync::Period& freeze = settings.realtime.freeze_frame;
  const Nanoseconds edge = draft.clock_delay;
  const Nanoseconds longest = std::max(frame, freeze).floor() + edge;
  const auto text = [](Nanoseconds time) { return rtsync::duration_text(time.count()); };
  const auto check = [&](Nanoseconds timeout, const char* path) {
    if (timeout > longest * 2) return;
    draft.problems.add(settings.rig.place, path,
                       text(timeout) + " is too short: the frame takes " + text(frame.floor()) +
                           ", the freeze frame " + text(freeze.floor()) +
                           (edge > Nanoseconds{0} ? ", an edge is awaited for up to " + text(edge) : "") +
                           "; more than " + text(longest * 2) + " is needed");
  };
  if (!draft.plan.safe_outputs.empty() && settings.safe_outputs == SafeOutputs::guardian)
    check(settings.guardian_timeout, "guardian_timeout");
  if (settings.watchdog.device) check(settings.watchdog.timeout, "watchdog.timeout");
}

}  // namespace tactus::executive
