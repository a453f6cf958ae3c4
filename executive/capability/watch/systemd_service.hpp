// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "executive/capability/clock/run_clock.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/host/service_notify.hpp"

namespace tactus::executive {

/// Reports to systemd on a rig that it has started: that it is alive, and a line of status.
///
/// Threads  the service thread.
class SystemdService final : public Capability {
 public:
  explicit SystemdService(RunContext& run) : run_(run), rig_(run.rig.settings().rig.value) {}

  void watch() override;
  void ready() override { notify_->ready("rig " + rig_); }
  void ended() override {
    if (notify_) notify_->stopping();
  }
  void poll(RunVoice& voice) override;

 private:
  RunContext& run_;
  const std::string rig_;
  std::optional<rtsync::ServiceNotify> notify_;  // from watch() on
  std::chrono::steady_clock::time_point told_{};
};

}  // namespace tactus::executive
