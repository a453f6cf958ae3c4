// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/systemd_service.hpp"

#include "executive/capability/clock/clock_status_formatter.hpp"
#include "rtsync/clock/clock.hpp"

namespace tactus::executive {

void SystemdService::poll(RunVoice& /*voice*/) {
  const Snapshot& latest = executive_.latest();
  if (watchdog_)
    (void)notify_.alive(static_cast<std::uint64_t>(latest.heartbeats),
                        rtsync::TimePoint<rtsync::RigTime>{rtsync::monotonic_now().time_since_epoch()});
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::seconds(1)) return;
  told_ = now;
  notify_.status("rig " + rig_ + ": frame " + std::to_string(latest.frames) +
                 (latest.state == State::pause ? ", paused" : "") + ", " +
                 std::to_string(latest.totals.overruns) + " overruns, " +
                 std::to_string(latest.totals.late_wakes) + " late wakes, " +
                 (latest.totals.late_by_housekeeping == 0
                      ? ""
                      : std::to_string(latest.totals.late_by_housekeeping) + " late by housekeeping, ") +
                 std::to_string(latest.totals.lost) + " slots lost" +
                 (clock_ == nullptr ? "" : ", clock " + clock_text(clock_->latest())));
}

}  // namespace tactus::executive
