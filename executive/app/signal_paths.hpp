// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <csignal>
#include <ctime>

#include "rtsync/crash/witness_page.hpp"

namespace tactus::app {

/// The two ways of a signal to a rig: sent to it, or to its witness, which passes it on. What is sent to both, as
/// a terminal does with Ctrl-C and systemd with KillMode=control-group, counts once: of each signal, as many
/// count as came by the way on which more came. When none came for kSameWithin, counting begins anew.
///
/// Threads  any; a signal comes to one of those that wait.
class SignalPaths {
 public:
  /// The witness wakes the rig with it: nothing happens to a process that does not wait for it.
  static constexpr int kDoorbell = SIGURG;
  static constexpr std::chrono::seconds kSameWithin{5};

  /// Waits that long for one of `set`; number 0: none came, or it had come by the other way. A number sent
  /// with a signal is its value, else 0.
  static rtsync::WitnessPage::Signal next(const sigset_t& set, const timespec& wait);
  /// Lets the next call of next() have a signal that its taker has no use for. It counts no second time.
  static void keep(rtsync::WitnessPage::Signal signal);
};

}  // namespace tactus::app
