// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Counts how long a thread was ready to run and had no CPU. The kernel counts it for each thread without any permission
/// (/proc/self/task/TID/schedstat). It is a sum: what of it fell into one part of one frame is known from below only, as
/// the growth since a look before, less all the time that the thread was not asleep elsewhere meanwhile.
///
/// Threads  look(): one helper thread, every 10 ms or so. The rest: the thread that is watched.
/// RT       add_awake(), least_in(). read() makes a system call: outside of frames, and not after one in time.
class RunDelays {
 public:
  /// Watches a thread of this process. `early`: for at most as long it is awake before its slot. @when setup
  explicit RunDelays(pid_t thread, Nanoseconds early, const std::filesystem::path& root = "/");

  /// Keeps what is counted now.                                                                   @when service
  void look();
  /// Adds the time that the thread was not asleep in a frame, at most. Every frame.
  void add_awake(Nanoseconds time) TACTUS_RT {
    const std::int64_t awake = awake_ns_.load(std::memory_order_relaxed) + (time + early_).count();
    awake_ns_.store(awake, std::memory_order_release);
    if (!read_in_this_) return;
    read_in_this_ = false;
    now_->awake_ns = awake;  // what comes after it is elsewhere
  }
  /// The thread did something else before the frame: what was counted until now is of no use.
  void forget() TACTUS_RT { add_awake(kLong); }
  /// Reads what is counted behind a late frame, for least_in().
  void read();
  /// Returns the least time in a part of the frame that it was ready and had no CPU. `elsewhere`: the time since the end
  /// of the frame before the last add_awake() that is not in the part, and that the thread was not asleep, at most.
  /// Nothing: the kernel counts nothing, or the limit of a control group may have kept it from its CPU.
  std::optional<Nanoseconds> least_in(Nanoseconds elsewhere) const TACTUS_RT;

 private:
  struct Count {
    std::int64_t waited_ns = 0;
    std::int64_t stops = 0;  // by the limits of its control groups
    std::int64_t awake_ns = 0;
  };
  struct Look {
    std::atomic<std::uint64_t> number{0};  // 0: it is being written, or there was none
    std::atomic<std::int64_t> waited_ns{0}, stops{0}, awake_ns{0};
  };
  std::optional<Count> count() const;

  const Nanoseconds early_;
  Descriptor schedstat_;
  std::vector<Descriptor> groups_;  // cpu.stat of the control groups that have a limit
  std::atomic<std::int64_t> awake_ns_{0};
  std::array<Look, 4> looks_;
  std::uint64_t next_look_ = 1;
  static constexpr Nanoseconds kLong{3'600'000'000'000};
  std::optional<Count> now_, before_;  // read() of this frame, and of the late one before
  bool read_in_this_ = false;
};

/// The time that a thread was ready and had no CPU, in the text of its schedstat file. Nothing: it is not there.
std::optional<Nanoseconds> run_delay_in(std::string_view schedstat) TACTUS_RT;

}  // namespace tactus::rtsync
