// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <chrono>

namespace tactus::rtsync {

/// A request to stop, for one other thread, which it also wakes. The thread that sees it also sees all that was written
/// before it.
///
///     while (!stopping.requested()) if (!work()) stopping.sleep(5ms);
///
/// Threads  request(), requested(): any. sleep(): the other thread.
class StopBell {
 public:
  StopBell() { (void)::sem_init(&bell_, 0, 0); }
  ~StopBell() { (void)::sem_destroy(&bell_); }
  StopBell(const StopBell&) = delete;
  StopBell& operator=(const StopBell&) = delete;

  void request() {
    requested_.store(true, std::memory_order_release);
    (void)::sem_post(&bell_);
  }
  bool requested() const { return requested_.load(std::memory_order_acquire); }
  /// Sleeps for this time, or until the request; a signal may end it earlier.
  void sleep(std::chrono::nanoseconds time) {
    timespec until{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &until);
    const std::chrono::nanoseconds whole = std::chrono::nanoseconds{until.tv_nsec} + time;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(whole);
    until.tv_sec += seconds.count();
    until.tv_nsec = (whole - seconds).count();
    // std::counting_semaphore would yield its CPU twelve times before it sleeps.
    (void)::sem_clockwait(&bell_, CLOCK_MONOTONIC, &until);
  }

 private:
  std::atomic<bool> requested_{false};
  sem_t bell_{};
};

}  // namespace tactus::rtsync
