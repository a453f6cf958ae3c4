// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <semaphore>

namespace tactus::rtsync {

/// A request to stop, for one other thread, which it also wakes. The thread that sees it also sees all that was written
/// before it.
///
///     while (!stopping.requested()) if (!work()) stopping.sleep(5ms);
///
/// Threads  request(), requested(): any. sleep(): the other thread.
class StopBell {
 public:
  void request() {
    requested_.store(true, std::memory_order_release);
    bell_.release();
  }
  bool requested() const { return requested_.load(std::memory_order_acquire); }
  /// Sleeps for this time, or until the request.
  void sleep(std::chrono::nanoseconds time) { (void)bell_.try_acquire_for(time); }

 private:
  std::atomic<bool> requested_{false};
  std::counting_semaphore<> bell_{0};
};

}  // namespace tactus::rtsync
