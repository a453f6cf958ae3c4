// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <cstddef>

namespace tactus::rtsync {

/// The stack of a thread that no frame waits for: in memory only as far as it is used, also in a process that locks all
/// memory. The C library keeps the stacks of threads that have ended, and mlockall() would make all of each present: 8 MiB
/// by default.
///
/// Threads  owned by whoever joins the thread; it outlives the thread.
class ThreadStack {
 public:
  /// Makes one as large as `attributes` say, else as the system's default, and sets it there. Throws std::system_error: no memory.   @when setup
  explicit ThreadStack(pthread_attr_t& attributes);
  ~ThreadStack();
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;

 private:
  void* memory_ = nullptr;  // a page that catches an overflow, then the stack
  std::size_t bytes_ = 0;
};

}  // namespace tactus::rtsync
