// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Counts page faults of threads that have no record: the kernel writes none for pages that it takes within a system
/// call, such as one that maps locked memory. It counts them all the same, in /proc/self/task/TID/stat.
///
/// Threads  add(): first, any. look(): any. note_mapped(), since(): one other thread.
/// RT       note_mapped(). since() makes two system calls for a thread: outside of frames that are in time.
class UnrecordedFaults {
 public:
  /// The next thread of this process. `recorded` is a perf event that counts its faults with a record, and stays the
  /// caller's; -1: none have one.  @when setup
  void add(pid_t thread, int recorded);
  std::size_t threads() const TACTUS_RT { return threads_.size(); }
  /// Faults of calls that are noted elsewhere (MapSum::faults) are none of these: all so far.
  void note_mapped(std::size_t thread, std::uint64_t faults) TACTUS_RT {
    threads_[thread].mapped.store(faults, std::memory_order_relaxed);
  }
  /// Looks at all threads, so that since() has something to compare with.  @when service
  void look();
  /// Faults since the latest look that was over at `from`, which is at most as old as the time between two looks, or
  /// since the call before: none is counted twice. Nothing: there was no such look, or the kernel says nothing.
  std::optional<std::uint64_t> since(std::size_t thread, TimePoint<MonotonicTime> from);

 private:
  struct Look {
    std::atomic<std::int64_t> at_ns{0};  // 0: there was none, or it is being written
    std::atomic<std::int64_t> count{0};
  };
  struct Thread {
    Descriptor stat;
    int recorded = -1;
    std::atomic<std::uint64_t> mapped{0};
    std::array<Look, 2> looks;
    std::size_t next = 0;  // of looks
    Look own;              // of since()
  };
  static std::optional<std::int64_t> count(const Thread& thread);
  static void keep(Look& look, std::int64_t count);

  std::mutex looking_;
  std::deque<Thread> threads_;
};

/// The number of minor faults in the text of a stat file of a thread. Nothing: it has none.
std::optional<std::int64_t> minor_faults_in(std::string_view stat);

}  // namespace tactus::rtsync
