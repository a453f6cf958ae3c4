// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/continuation.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>

#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

std::atomic<std::int64_t> went_on_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler writes it");

void note_continuation(int) {
  went_on_ns.store(monotonic_now().time_since_epoch().count(), std::memory_order_relaxed);
}

void mask(int how) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGCONT);
  (void)::pthread_sigmask(how, &one, nullptr);  // fails only for a wrong first argument
}

/// Returns true if the handler of the signal is this one.
bool is_watched() {
  struct sigaction action {};
  return ::sigaction(SIGCONT, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == &note_continuation;
}

}  // namespace

ContinuationWatch::ContinuationWatch() {
  struct sigaction action {};
  if (::sigaction(SIGCONT, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
      action.sa_handler != SIG_DFL)
    return;
  action = {};
  action.sa_handler = &note_continuation;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  ours_ = ::sigaction(SIGCONT, &action, nullptr) == 0;
  if (ours_) mask(SIG_BLOCK);
}

ContinuationWatch::~ContinuationWatch() {
  if (!ours_) return;
  (void)std::signal(SIGCONT, SIG_DFL);
  mask(SIG_UNBLOCK);
}

void ContinuationWatch::take_here() {
  if (is_watched()) mask(SIG_UNBLOCK);  // another's handler has nothing to do on a thread of frames
}

TimePoint<MonotonicTime> ContinuationWatch::last() TACTUS_RT {
  return TimePoint<MonotonicTime>{Nanoseconds{went_on_ns.load(std::memory_order_relaxed)}};
}

}  // namespace tactus::rtsync
