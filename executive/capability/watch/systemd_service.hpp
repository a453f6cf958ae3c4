// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>

#include "executive/capability/clock/clock_status_part.hpp"
#include "executive/frame/executive.hpp"
#include "executive/run_base/run_part.hpp"
#include "rtsync/host/service_notify.hpp"

namespace tactus::executive {

/// What systemd is told of a rig that it has started: that it is alive, and a line of status.
///
/// Threads  the service thread.
class SystemdService final : public RunPart {
 public:
  /// `clock`: of an external clock, else nullptr; `watchdog`: answers systemd's own as long as frames end. All
  /// must outlive it. @when setup
  SystemdService(std::string rig, Executive& executive, ClockStatusPart* clock, bool watchdog)
      : rig_(std::move(rig)), executive_(executive), clock_(clock), watchdog_(watchdog) {}

  rtsync::Provision provision() const { return notify_.provision(); }
  void ready() { notify_.ready("rig " + rig_); }
  void stopping() { notify_.stopping(); }
  void poll(RunVoice& voice) override;

 private:
  const std::string rig_;
  Executive& executive_;
  ClockStatusPart* const clock_;
  const bool watchdog_;
  rtsync::ServiceNotify notify_;
  std::chrono::steady_clock::time_point told_{};
};

}  // namespace tactus::executive
