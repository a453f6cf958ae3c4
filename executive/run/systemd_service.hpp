#pragma once
#include <chrono>
#include <string>

#include "executive/driver/statistics.hpp"
#include "rtsync/host/service_notify.hpp"

namespace tactus::executive {

/// What systemd is told of a rig that it has started: that it is alive, and a line of status.
///
/// Threads  the service thread.
class SystemdService {
 public:
  /// `watchdog`: answers systemd's own as long as frames end. @when setup
  SystemdService(std::string rig, bool watchdog) : rig_(std::move(rig)), watchdog_(watchdog) {}

  rtsync::Provision provision() const { return notify_.provision(); }
  void ready() { notify_.ready("rig " + rig_); }
  void stopping() { notify_.stopping(); }
  /// `clock`: what there is to say of an external clock.
  void tell(const Snapshot& latest, const std::string& clock);

 private:
  const std::string rig_;
  const bool watchdog_;
  rtsync::ServiceNotify notify_;
  std::chrono::steady_clock::time_point told_{};
};

}  // namespace tactus::executive
