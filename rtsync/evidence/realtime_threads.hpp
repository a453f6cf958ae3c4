// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// The threads of the machine by their policy, as of the last look: real-time ones (SCHED_FIFO, SCHED_RR,
/// SCHED_DEADLINE), and ordinary ones. An ordinary thread that has a CPU does not keep a real-time one from it.
///
/// Threads  look, take: one. The rest: any.
/// RT       the rest: yes.
class RealtimeThreads {
 public:
  static constexpr std::size_t kMost = 8192;

  /// Asks for the policy of every thread in `proc`. Those that end meanwhile are left out. @when service
  void look(const char* proc = "/proc");
  /// Takes the result of a look. Beyond kMost of a kind the rest is unknown; with too many real-time ones,
  /// every thread may be one. @when service
  void take(std::vector<pid_t> realtime, std::vector<pid_t> ordinary);
  /// It was one, or may have been one: no look succeeded.  @when any
  bool has(pid_t thread) const TACTUS_RT;
  /// It was one for certain.  @when any
  bool is_realtime(pid_t thread) const TACTUS_RT;
  /// It was there, and none for certain.  @when any
  bool is_ordinary(pid_t thread) const TACTUS_RT;

 private:
  /// Thread lists, sorted. Written while no thread reads it: the one before the last is seconds old.
  struct Threads {
    std::array<std::atomic<pid_t>, kMost> numbers{};
    std::atomic<std::size_t> count{0};
    void take(std::vector<pid_t> threads);
    bool has(pid_t thread) const TACTUS_RT;
  };
  struct Look {
    Threads realtime;
    Threads ordinary;
    std::atomic<bool> all{true};  ///< no look yet, or there are too many
  };
  const Look& latest() const TACTUS_RT { return looks_[latest_.load(std::memory_order_acquire)]; }
  std::array<Look, 2> looks_{};
  std::atomic<std::size_t> latest_{0};
};

}  // namespace tactus::rtsync
