// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <vector>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Counts how long each of some threads was ready to run and had no CPU, at most: whoever had it then, and also where a limit
/// stopped the thread. One that a freezer holds, or whose timer is late, is not ready. The kernel counts it without any
/// permission (/proc/TID/schedstat), as a sum that grows when the thread gets its CPU.
///
/// Threads  look(): one, every 50 ms or so; what grew since the last look counts. The rest: the thread of the frames.
/// RT       end_frame(). most() makes a system call: outside of frames, and not after one in time.
class ReadyTimes {
 public:
  /// Watches threads of any process.                                                              @when setup
  explicit ReadyTimes(const std::vector<pid_t>& threads, const std::filesystem::path& root = "/");

  /// Keeps what is counted now.                                                                   @when service
  void look();
  /// Begins the time that most() is asked for: every frame, and before the first one.
  void end_frame() TACTUS_RT;
  /// Returns the most that the thread with that place in the list was ready and had no CPU since the last end_frame().
  /// Nothing: the kernel does not count it.
  std::optional<Nanoseconds> most(std::size_t thread);

 private:
  struct Thread {
    explicit Thread(Descriptor file) : schedstat(std::move(file)) {}
    Descriptor schedstat;
    std::atomic<std::int64_t> looked_ns{0};
    std::int64_t read_ns = 0;    // by most()
    std::int64_t before_ns = 0;  // no more than was counted at the last end_frame()
  };

  std::deque<Thread> threads_;
};

}  // namespace tactus::rtsync
