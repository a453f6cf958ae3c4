// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The life of one thread, in memory that two processes share: the other process hears of its end before the
/// kernel takes the dead process apart, which with locked memory and perf events takes some hundred milliseconds.
///
///     life.hold();                            // the thread that is watched
///     if (life.await_death()) drive_safe();   // a thread of the other process, which sleeps here
///
/// The kernel marks what a dying thread holds first of all, before memory, descriptors and the other threads end.
/// A header alone: a program that links nothing of ours uses it as well.
///
/// Threads  hold(), release(): the watched thread. await_death(): one thread of one other process.
/// RT       hold() and release() are system calls: before and after the frames.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace tactus::rtsync {

class ThreadLife {
 public:
  /// Constructs the state in shared memory, in either process. @when setup
  ThreadLife() noexcept {
    pthread_mutexattr_t attributes;
    if (::pthread_mutexattr_init(&attributes) != 0) return;
    made_ = ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
            ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
            ::pthread_mutex_init(&mutex_, &attributes) == 0;
    (void)::pthread_mutexattr_destroy(&attributes);
  }
  ThreadLife(const ThreadLife&) = delete;
  ThreadLife& operator=(const ThreadLife&) = delete;

  /// Watches over the calling thread from here on. Where that cannot be, nothing happens. @when setup
  void hold() noexcept {
    if (!made_ || ::pthread_mutex_trylock(&mutex_) != 0) return;
    held_.store(1);
    (void)::syscall(SYS_futex, &held_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  /// The calling thread may end from here on. Without hold() before, nothing happens. @when setup
  void release() noexcept {
    if (held_.exchange(0) != 0) (void)::pthread_mutex_unlock(&mutex_);
  }
  /// Sleeps until the thread that held it is dead: true. False: that cannot be found out. @when any
  bool await_death() noexcept {
    if (!made_) return false;
    for (;;) {
      while (held_.load() == 0)
        if (::syscall(SYS_futex, &held_, FUTEX_WAIT, 0, nullptr, nullptr, 0) != 0 && errno != EAGAIN &&
            errno != EINTR)
          return false;
      const int locked = ::pthread_mutex_lock(&mutex_);
      if (locked == EOWNERDEAD) return true;
      if (locked != 0) return false;
      (void)::pthread_mutex_unlock(&mutex_);  // it was released: another thread may hold it next
    }
  }

 private:
  std::atomic<std::uint32_t> held_{0};
  bool made_ = false;
  pthread_mutex_t mutex_{};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tactus::rtsync
