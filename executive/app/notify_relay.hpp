// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tactus::app {

/// systemd listens to the main process of a service alone, which is the witness: the rig's messages go
/// through it. Without NOTIFY_SOCKET it does nothing.
///
/// Threads  one.
class NotifyRelay {
 public:
  NotifyRelay();
  ~NotifyRelay();
  NotifyRelay(const NotifyRelay&) = delete;
  NotifyRelay& operator=(const NotifyRelay&) = delete;

  /// Makes the witness the NOTIFY_SOCKET of this process, which is the rig. @when setup
  void become_rig();
  /// Readable when there is something to relay; -1: never.
  int descriptor() const { return socket_; }
  /// Everything that has come.
  void relay();

 private:
  std::string systemd_;  // as in NOTIFY_SOCKET
  std::string own_;      // the name of socket_, likewise
  int socket_ = -1;
};

}  // namespace tactus::app
