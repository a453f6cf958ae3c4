// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/systemd_service.hpp"

#include <cstdlib>

#include "executive/capability/clock/clock_status_formatter.hpp"
#include "executive/capability/watch/settings.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::executive {

void SystemdService::watch() {
  notify_.emplace();
  if (std::getenv("NOTIFY_SOCKET") != nullptr) run_.provisions.push_back(notify_->provision());
}

void SystemdService::poll(RunVoice& /*voice*/) {
  if (!notify_) return;
  const RigFigures& latest = run_.executive->latest();
  if (run_.rig.settings().of<WatchdogSection>().systemd)  // systemd's own, as long as frames end
    (void)notify_->alive(static_cast<std::uint64_t>(latest.heartbeats),
                         rtsync::TimePoint<rtsync::RigTime>{rtsync::monotonic_now().time_since_epoch()});
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::seconds(1)) return;
  told_ = now;
  ClockStatusPart* const clock = clock_status(run_);
  notify_->status("rig " + rig_ + ": frame " + std::to_string(latest.frames) +
                  (latest.state == State::pause ? ", paused" : "") + ", " +
                  std::to_string(latest.totals.overruns) + " overruns, " +
                  std::to_string(latest.totals.late_wakes) + " late wakes, " +
                  (latest.totals.late_by_housekeeping == 0
                       ? ""
                       : std::to_string(latest.totals.late_by_housekeeping) + " late by housekeeping, ") +
                  std::to_string(latest.totals.lost) + " slots lost" +
                  (clock == nullptr ? "" : ", clock " + clock_text(clock->latest())));
}

}  // namespace tactus::executive
