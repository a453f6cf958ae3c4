// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "rtsync/host/cpu_set.hpp"

namespace tactus::app {

/// Decides how long the end of a run may wait for code that does not return.
///
/// Threads  one.
class EndPatience {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Step : std::uint8_t {
    wait,
    say,        ///< once a wait: what is waited for
    end,        ///< ended by a second signal
    end_late,   ///< kLongest is over
    hand_back,  ///< the service thread hears signals again: the one that was taken is its
  };
  static constexpr std::chrono::seconds kSay{1};
  static constexpr std::chrono::seconds kSayAtStart{5};  ///< unasked: a slow machine is no news
  static constexpr std::chrono::seconds kLongest{60};

  /// `heard`: changes whenever the service thread has looked for signals itself. `before`: stops that it has taken.
  /// `taken`: a signal to stop came since the last look. `alone`: the witness is gone, so that one is enough.
  /// `ending`: the frames have ended, so that the wait has a limit. `says`: unasked, too.
  Step look(Clock::time_point now, std::uint64_t heard, int before, bool taken, bool alone,
            bool ending = true, bool says = true);

 private:
  std::chrono::nanoseconds waited_{0};
  Clock::time_point looked_{};
  std::uint64_t heard_ = UINT64_MAX;
  int taken_ = 0;
  bool said_ = false;
};

/// A thread that hears signals from the beginning until the process has ended, whenever the service thread waits for
/// something else: a device that does not open, a destructor, a file that does not close, an exit handler. It says what
/// is waited for, and ends the process at a second signal, and once the frames have ended after EndPatience::kLongest;
/// the witness then writes the summary.
///
/// Threads  the service thread.
class EndGuard {
 public:
  enum class Phase : std::uint8_t { setup, frames, ending };

  static void begin();  ///< once
  /// Sets the CPUs on which the thread may run from here on, and the rig that its name shows.
  static void place(const rtsync::CpuSet& cpus, const std::string& rig);
  static void enter(Phase phase);
};

}  // namespace tactus::app
