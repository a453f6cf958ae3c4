// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// The real-time threads of the machine (SCHED_FIFO, SCHED_RR, SCHED_DEADLINE), as of the last look. An ordinary
/// thread that has a CPU does not keep a real-time one from it.
///
/// Threads  look: one. has: any.
class RealtimeThreads {
 public:
  /// Asks for the policy of every thread in `proc`. Those that end meanwhile are left out; of more than kMost the
  /// rest, too: then every thread counts as one. @when service
  void look(const char* proc = "/proc");
  /// It is one, or may be one.                                                                     @when any
  bool has(pid_t thread) const TACTUS_RT;

 private:
  static constexpr std::size_t kMost = 1024;
  /// Written while nobody reads it: the one before the last is seconds old.
  struct List {
    std::array<std::atomic<pid_t>, kMost> threads{};
    std::atomic<std::size_t> count{0};
    std::atomic<bool> all{true};  ///< nobody has looked, or there are too many
  };
  std::array<List, 2> lists_{};
  std::atomic<std::size_t> latest_{0};
};

}  // namespace tactus::rtsync
