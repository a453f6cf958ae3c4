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
/// The other process only reads: it may have that memory mapped so, and then cannot damage the watched one by it.
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
    // As a waiter would mark it that may write: the kernel, and release(), wake the one that reads it.
    (void)__atomic_fetch_or(&mutex_.__data.__lock, static_cast<int>(FUTEX_WAITERS), __ATOMIC_SEQ_CST);
    held_.store(1);
    (void)::syscall(SYS_futex, &held_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  /// The calling thread may end from here on. Without hold() before, nothing happens. @when setup
  void release() noexcept {
    if (held_.exchange(0) != 0) (void)::pthread_mutex_unlock(&mutex_);
  }
  /// Sleeps until the thread that held it is dead: true. False: that cannot be found out. @when any
  bool await_death() const noexcept {
    if (!made_) return false;
    for (;;) {
      const std::uint32_t word = owner();
      if ((word & FUTEX_OWNER_DIED) != 0) return true;
      const bool held = held_.load() != 0 && (word & FUTEX_TID_MASK) != 0;
      if (!(held ? sleep_while(&mutex_.__data.__lock, word) : sleep_while(&held_, 0))) return false;
    }
  }

 private:
  /// Thread id of the holder, with the kernel's marks.
  std::uint32_t owner() const noexcept {
    return static_cast<std::uint32_t>(__atomic_load_n(&mutex_.__data.__lock, __ATOMIC_SEQ_CST));
  }
  /// Sleeps while the word has that value, or for a shorter time. False: the kernel refuses that.
  static bool sleep_while(const void* word, std::uint32_t seen) noexcept {
    return ::syscall(SYS_futex, word, FUTEX_WAIT, seen, nullptr, nullptr, 0) == 0 || errno == EAGAIN ||
           errno == EINTR;
  }

  std::atomic<std::uint32_t> held_{0};
  bool made_ = false;
  pthread_mutex_t mutex_{};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tactus::rtsync
