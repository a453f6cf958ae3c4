// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>

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
    end,        ///< by a second signal
    end_late,   ///< kLongest is over
    hand_back,  ///< the service thread hears signals again: the one that was taken is its
  };
  static constexpr std::chrono::seconds kSay{1};
  static constexpr std::chrono::seconds kLongest{60};

  /// `heard`: changes whenever the service thread has looked for signals itself. `before`: stops that it has taken.
  /// `taken`: a signal to stop came since the last look. `alone`: the witness is gone, so that one is enough.
  Step look(Clock::time_point now, std::uint64_t heard, int before, bool taken, bool alone);

 private:
  std::chrono::nanoseconds waited_{0};
  Clock::time_point looked_{};
  std::uint64_t heard_ = UINT64_MAX;
  int taken_ = 0;
  bool said_ = false;
};

/// A thread that hears signals from the end of the frames until the process has ended, whenever the service thread
/// waits for something else: a destructor, a file that does not close, an exit handler. It says what is waited for,
/// and ends the process at a second signal or after EndPatience::kLongest; the witness then writes the summary.
///
/// Threads  begin(): the service thread, more often than once.
class EndGuard {
 public:
  static void begin();
};

}  // namespace tactus::app
