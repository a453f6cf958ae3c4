// SPDX-License-Identifier: Apache-2.0
#include "executive/app/signal_paths.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <vector>

namespace tactus::test::signal_paths_test {
namespace {

using app::SignalPaths;

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

int next(const std::vector<int>& signals) {
  return SignalPaths::next(set_of(signals), timespec{0, 0}).number;
}

TEST(SignalPaths, ASignalThatItsTakerHasNoUseForIsTakenByAnother) {
  const sigset_t both = set_of({SIGTERM, SIGUSR1});
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &both, &before), 0);
  (void)::pthread_kill(::pthread_self(), SIGTERM);
  EXPECT_EQ(next({SIGTERM}), SIGTERM);
  SignalPaths::keep({SIGTERM, 0});
  EXPECT_EQ(next({SIGUSR1}), 0) << "it waits for another";
  EXPECT_EQ(next({SIGTERM, SIGUSR1}), SIGTERM);
  EXPECT_EQ(next({SIGTERM, SIGUSR1}), 0);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

}  // namespace
}  // namespace tactus::test::signal_paths_test
