// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {

/// Privileges that the rig's threads had at the start and have lost: a model or a program outside may take
/// real time, a CPU or the memory lock away while the rig runs.
///
/// Threads  start: before the others; the rest: any but a frame's.
class PrivilegeWatch {
 public:
  struct Change {
    std::string what;  ///< "thread main" or "memory"
    std::string was;   ///< "SCHED_FIFO 80, CPUs 1"
    std::string is;
    std::int64_t frame = 0;  ///< frame, approximately, in which it was found out: once a second
    bool lost = false;       ///< false: it is again as it was at the start
  };

  /// Notes the privileges of these threads, as they are now; `memory`: all of it is locked. Throws
  /// std::system_error when /proc/self/task cannot be read. @when setup
  void start(const std::vector<pid_t>& threads, bool memory);
  /// Looks for changes. A thread that has ended has lost nothing.
  void look(std::int64_t frame);
  /// Those that were not taken yet.
  std::vector<Change> take_new();
  /// All so far, the first kMost of them.
  std::vector<Change> changes() const;
  static constexpr std::size_t kMost = 1000;

 private:
  struct Watched {
    std::string what;
    pid_t tid = 0;  // 0: memory
    std::string granted;
    std::string is;
  };
  static std::string text_of(const rtsync::ThreadFacts& thread);
  std::string memory_text() const;
  void compare(Watched& watched, std::string is, std::int64_t frame);

  mutable std::mutex lock_;  // no frame takes it
  std::vector<Watched> watched_;
  std::size_t locked_bytes_ = 0;  // at the start
  std::vector<Change> changes_;
  std::size_t taken_ = 0;
};

}  // namespace tactus::executive
