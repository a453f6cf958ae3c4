// SPDX-License-Identifier: Apache-2.0
#include "executive/app/signal_paths.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "executive/app/witness.hpp"
#include "rtsync/crash/witness_page.hpp"

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

/// The kernel sends it in the name of the witness when the first thread of that is gone, maybe before the last one.
TEST(SignalPaths, ASigtermOfTheWitnessTellsThatItIsGone) {
  const sigset_t set = set_of({SIGTERM});
  sigset_t before;
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &set, &before), 0);
  for (const bool of_witness : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      rtsync::WitnessPage page;
      page.witness = ::getppid();
      rtsync::show_to_witness(page);
      if (!of_witness) (void)::kill(::getpid(), SIGTERM);
      (void)SignalPaths::next(set, timespec{60, 0});
      ::_exit(app::Witness::is_gone() == of_witness ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    if (of_witness) (void)::kill(child, SIGTERM);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << (of_witness ? "of the witness" : "of another");
  }
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

}  // namespace
}  // namespace tactus::test::signal_paths_test
