// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Measures how late a thread wakes on one CPU of this machine, with one sleeper.
///
/// A thread as a rig's would be waits for the slots of a grid and does nothing else. A sleeper that spins
/// does so in bursts of 100 ms with longer rests between them, so that less than half of the CPU is used and
/// neither the kernel's real-time throttle nor any other thread on that CPU notices much.
///
/// Threads  run_wake_trial() makes a thread, waits for it and is gone; one trial per CPU at a time.
/// RT       nothing here. @when setup; takes the duration of the trial.
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtsync/host/provision.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/time.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync {

struct TrialSettings {
  int cpu = 0;
  SleeperKind sleeper = SleeperKind::nanosleep;
  Nanoseconds duration{2'000'000'000};     ///< duration, at most kLongestTrial
  Nanoseconds period{1'000'000};           ///< 50 us .. 50 ms
  SchedPolicy policy = SchedPolicy::fifo;  ///< ordinary, where the machine refuses it
  int priority = 80;                       ///< priority for fifo and rr
  std::optional<Nanoseconds> margin = {};  ///< margin for hybrid alone; nothing: it measures its own
};
inline constexpr Nanoseconds kLongestTrial{60'000'000'000};

struct WakeTrial {
  std::uint64_t count = 0;  ///< wakes measured; 0: nothing below means anything
  Nanoseconds p50{0};       ///< lateness: wake minus slot
  Nanoseconds p99{0};
  Nanoseconds p99_9{0};
  Nanoseconds max{0};
  std::uint64_t missed = 0;           ///< slots for which no wait was made: the wake before came after them
  bool complete = false;              ///< false: stopped, or the kernel refused to wait
  std::string scheduling;             ///< scheduling in force: "SCHED_FIFO 80"
  std::vector<Provision> provisions;  ///< provisions of the thread's requests
};

/// Throws std::invalid_argument for settings outside their limits, std::system_error when there is no thread
/// to be had. Ends early, within 200 ms, when `stop` becomes true.
WakeTrial run_wake_trial(const TrialSettings& settings, const std::atomic<bool>* stop = nullptr);

/// The margin for a hybrid sleeper on a CPU where `nanosleep` wakes as in this trial: 1.5 times its 99th percentile,
/// within the limits of SpinMargin, in whole microseconds. Nothing without a measurement.
std::optional<Nanoseconds> propose_margin(const WakeTrial& nanosleep, Period period);

}  // namespace tactus::rtsync
