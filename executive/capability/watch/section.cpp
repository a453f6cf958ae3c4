// SPDX-License-Identifier: Apache-2.0
// guardian_timeout and the watchdog section: who watches over the frames must not take a slow one for none.
#include <algorithm>
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/watch/settings.hpp"
#include "executive/plan/draft.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

Fields<WatchdogSection> watchdog_fields() {
  return {"Watchdogs that detect when the frames hang. The frames themselves serve both.",
          {
              optional("systemd", &WatchdogSection::systemd,
                       "answer systemd's WatchdogSec while frames end, if it asks"),
              optional(
                  "device", &WatchdogSection::device, or_word("none", length(1, 4096)),
                  "hardware watchdog that resets the machine, e.g. /dev/watchdog; auto: the first one found"),
              optional("timeout", &WatchdogSection::timeout, range(1s, 3600s),
                       "device only: reset the machine if no frame ends for this long (whole seconds)"),
          }};
}

std::vector<config::Field<RigSettings>> watch_keys() {
  return {rig_key(whole_section("watchdog", watchdog_fields(), "watchdogs"))};
}

void check_watchers(Draft& draft) {
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
  if (const auto& watchdog = settings.of<WatchdogSection>(); watchdog.device)
    check(watchdog.timeout, "watchdog.timeout");
}

}  // namespace

const CapabilitySection kWatchSection{&watch_keys, nullptr, &check_watchers};

}  // namespace tactus::executive
