// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>

#include "rtsync/thread/handshake.hpp"

/// The order of the two steps by which a worker ends a pass, which no result shows: only the priority that is
/// inherited, and that needs SCHED_FIFO. So the linker puts itself before pthread_mutex_trylock (--wrap).
namespace tactus::rtsync::handshake_order_test {
namespace {

thread_local const Handshake* watched = nullptr;
thread_local int tries = 0;
thread_local int tries_after_open = 0;

}  // namespace

void look_at_try_lock() {
  if (watched == nullptr) return;
  ++tries;
  tries_after_open += watched->idle() ? 1 : 0;
}

namespace {

class HandshakeOrder : public ::testing::TestWithParam<WaitMode> {};
INSTANTIATE_TEST_SUITE_P(All, HandshakeOrder, ::testing::Values(WaitMode::futex, WaitMode::adaptive),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(HandshakeOrder, TheNextMutexIsTakenBeforeThePassIsSaidToBeDone) {
  Handshake handshake{GetParam()};
  handshake.begin();
  for (std::uint32_t pass = 1; pass <= 4; ++pass) {  // both mutexes, each twice
    EXPECT_EQ(handshake.trigger(), pass);
    ASSERT_EQ(handshake.await_work(), pass);
    EXPECT_FALSE(handshake.idle());
    tries = tries_after_open = 0;
    watched = &handshake;
    handshake.finished(pass);
    watched = nullptr;
    EXPECT_EQ(tries, 1);
    EXPECT_EQ(tries_after_open, 0) << "the frame thread could get the mutex of the next pass";
    EXPECT_TRUE(handshake.idle());
  }
  handshake.leave();
}

}  // namespace
}  // namespace tactus::rtsync::handshake_order_test

extern "C" {
int __real_pthread_mutex_trylock(pthread_mutex_t* mutex);   // NOLINT(bugprone-reserved-identifier): --wrap's
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex);   // NOLINT(bugprone-reserved-identifier)
int __wrap_pthread_mutex_trylock(pthread_mutex_t* mutex) {  // NOLINT(bugprone-reserved-identifier)
  tactus::rtsync::handshake_order_test::look_at_try_lock();
  return __real_pthread_mutex_trylock(mutex);
}
}
