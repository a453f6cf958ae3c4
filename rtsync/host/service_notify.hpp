// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Talks to systemd as a service of Type=notify: ready, a line of status, still alive, stopping.
///
///     ServiceNotify service;
///     service.ready("rig servo, frame 200 us");
///     service.alive(frames_done, clock.now());   // some 20 times a second, from the service thread
///     service.stopping();
///
/// The watchdog of the unit (WatchdogSec) is answered only when `progress`, which the frames themselves count
/// up, has moved since the last answer: a helper thread cannot speak for frames that are stuck. Without
/// NOTIFY_SOCKET every call does nothing.
///
/// Threads  one at a time.
/// RT       nothing here: a message may block while systemd is busy. @when setup and service.
#include <cstdint>
#include <optional>
#include <string>

#include "rtsync/host/provision.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

class ServiceNotify {
 public:
  /// Looks at NOTIFY_SOCKET and WATCHDOG_USEC.                                                   @when setup
  ServiceNotify();

  /// Refused: not started by systemd, or not as Type=notify.
  const Provision& provision() const { return provision_; }
  /// Returns true if a service manager listens.
  bool present() const { return present_; }
  /// The unit's WatchdogSec, when it is this process that has to answer.
  std::optional<Nanoseconds> watchdog() const { return watchdog_; }

  /// The start is done; systemd continues with what waited for it, and its watchdog begins to count.
  void ready(const std::string& status);
  /// Sets the text that `systemctl status` shows. Only the first line is sent, at most 200 bytes of it.
  void status(const std::string& text);
  /// Reports that the service is stopping: from now on TimeoutStopSec counts, and no watchdog.
  void stopping();
  /// Answers the watchdog when a third of its time has passed and `progress` has moved. True: it did.
  bool alive(std::uint64_t progress, TimePoint<RigTime> now);

  /// Messages that could not be sent, and the errno of the newest (0: none).
  std::uint64_t failed() const { return failed_; }
  int last_error() const { return last_error_; }

 private:
  bool send(const std::string& message);

  bool present_ = false;
  std::optional<Nanoseconds> watchdog_;
  Provision provision_;
  std::uint64_t answered_for_ = 0;
  TimePoint<RigTime> next_answer_ = TimePoint<RigTime>::min();
  std::uint64_t failed_ = 0;
  int last_error_ = 0;
};

}  // namespace tactus::rtsync
