// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/close_on_fork.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace tactus::rtsync {
namespace {

std::array<std::atomic<int>, 64> descriptors{};  // each plus one; 0: none

bool replace(int from, int to) {
  for (std::atomic<int>& one : descriptors) {
    int expected = from;
    if (one.compare_exchange_strong(expected, to)) return true;
  }
  return false;
}

void close_all() {
  for (std::atomic<int>& one : descriptors)
    if (const int fd = one.exchange(0) - 1; fd >= 0) (void)::close(fd);
}

}  // namespace

void close_on_fork(int fd) {
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, &close_all);
  (void)replace(0, fd + 1);
}

void keep_on_fork(int fd) { (void)replace(fd + 1, 0); }

}  // namespace tactus::rtsync
