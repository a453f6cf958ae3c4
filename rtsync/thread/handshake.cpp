// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/handshake.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

// The ThreadSanitizers of GCC 12 and Clang 14 do not know pthread_mutex_clocklock and would take each unlock for an
// error.
#if defined(__SANITIZE_THREAD__)
constexpr bool kByMonotonicClock = false;
#elif defined(__has_feature)
constexpr bool kByMonotonicClock = !__has_feature(thread_sanitizer);
#else
constexpr bool kByMonotonicClock = true;
#endif

struct MutexAttributes {
  pthread_mutexattr_t value;
  MutexAttributes() { ::pthread_mutexattr_init(&value); }  // Linux: cannot fail
  ~MutexAttributes() { ::pthread_mutexattr_destroy(&value); }
  MutexAttributes(const MutexAttributes&) = delete;
  MutexAttributes& operator=(const MutexAttributes&) = delete;
};

}  // namespace

PiMutex::PiMutex() {
  MutexAttributes attributes;
  refused_ = ::pthread_mutexattr_setprotocol(&attributes.value, PTHREAD_PRIO_INHERIT);
  if (refused_ == 0) refused_ = ::pthread_mutex_init(&mutex_, &attributes.value);
  if (refused_ == 0) return;
  if (const int error = ::pthread_mutex_init(&mutex_, nullptr); error != 0)
    throw std::system_error(error, std::generic_category(), "pthread_mutex_init");
}

PiMutex::~PiMutex() { ::pthread_mutex_destroy(&mutex_); }

void PiMutex::lock() TACTUS_RT { (void)::pthread_mutex_lock(&mutex_); }

bool PiMutex::try_lock() TACTUS_RT { return ::pthread_mutex_trylock(&mutex_) == 0; }

void PiMutex::unlock() TACTUS_RT { (void)::pthread_mutex_unlock(&mutex_); }

bool PiMutex::lock_until(TimePoint<MonotonicTime> deadline) TACTUS_RT {
  if (kByMonotonicClock) {
    const timespec until = to_timespec(std::max(Nanoseconds{0}, deadline.time_since_epoch()));
    const int error = ::pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until);
    if (error != EINVAL) return error == 0;
  }
  return lock_until_by_wall_clock(deadline);
}

bool PiMutex::lock_until_by_wall_clock(TimePoint<MonotonicTime> deadline) TACTUS_RT {
  constexpr Nanoseconds kLongest{std::int64_t{3600} * 1'000'000'000};  // kForever has no wall-clock time
  for (;;) {
    const TimePoint<MonotonicTime> now = monotonic_now();
    const Nanoseconds left = deadline <= now ? Nanoseconds{0} : std::min(deadline - now, kLongest);
    const timespec until = to_timespec(kernel_time(CLOCK_REALTIME) + left);
    const int error = ::pthread_mutex_timedlock(&mutex_, &until);
    if (error == 0) return true;
    if (error != ETIMEDOUT || monotonic_now() >= deadline) return false;  // or else the clock was set forward
  }
}

Handshake::Handshake(WaitMode mode, Nanoseconds spin, std::uint32_t first)
    : mode_(mode),
      work_(first),
      done_(first),
      next_(first + 1),
      work_spin_(spin),
      triggered_(first),
      done_spin_(spin) {}

Provision Handshake::provision() const {
  const std::string what = "priority inheritance of a worker";
  if (const int error = mutexes_[0].refused(); error != 0)
    return refused(what, "none",
                   {"pthread_mutex_init answered " + error_words(error) +
                        ": this kernel was built without CONFIG_FUTEX_PI",
                    "use a kernel with CONFIG_FUTEX_PI=y, as PREEMPT_RT has"});
  return granted(what, inherits() ? "while the frame thread sleeps for it" : "not needed: no thread sleeps");
}

void Handshake::begin() TACTUS_RT {
  if (!inherits() || holds_) return;
  mutex_of(next_).lock();
  holds_ = true;
}

std::optional<std::uint32_t> Handshake::await_work() TACTUS_RT {
  if (work_.wait(next_, mode_, kForever, &dismissed_, &work_spin_) == Gate::Result::open) return next_;
  leave();
  return std::nullopt;
}

void Handshake::finished(std::uint32_t n) TACTUS_RT {
  next_ = n + 1;
  if (!holds_) {
    done_.open(n);
    return;
  }
  // Free, but when passes were triggered ahead of their time: whoever joined n - 1 gave it back before it
  // triggered n.
  const bool held = mutex_of(next_).try_lock();
  done_.open(n);
  mutex_of(n).unlock();
  if (!held) mutex_of(next_).lock();
}

void Handshake::leave() TACTUS_RT {
  left_.store(true);
  done_.wake_all();
  if (holds_) mutex_of(next_).unlock();
  holds_ = false;
}

std::uint32_t Handshake::trigger() TACTUS_RT {
  work_.open(++triggered_);
  return triggered_;
}

Gate::Result Handshake::join(TimePoint<MonotonicTime> deadline) TACTUS_RT {
  if (done_.reached(triggered_)) return Gate::Result::open;
  if (mode_ == WaitMode::spin) return done_.wait(triggered_, mode_, deadline, &left_);
  if (mode_ == WaitMode::adaptive) {
    const Gate::Result spun = done_.spin_first(triggered_, done_spin_, deadline, &left_);
    if (spun != Gate::Result::timeout) return spun;
  }
  PiMutex& mutex = mutex_of(triggered_);
  if (!mutex.lock_until(deadline))
    return done_.reached(triggered_) ? Gate::Result::open : Gate::Result::timeout;
  mutex.unlock();
  // Open by now, unless the worker has not begun yet, has left, or is behind by more than a pass.
  return done_.wait(triggered_, WaitMode::futex, deadline, &left_);
}

void Handshake::dismiss() TACTUS_RT {
  dismissed_.store(true);
  work_.wake_all();
}

}  // namespace tactus::rtsync
