// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/starter_life.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tactus::rtsync::starter_life_test {
namespace {

/// How a child of ours ended that had been told of a starter: 128 + signal, or its status.
int end_of_child(pid_t starter) {
  const pid_t child = ::fork();
  if (child == 0) {
    (void)::signal(SIGTERM, SIG_DFL);
    (void)::setenv(kEndsWithVariable, std::to_string(starter).c_str(), 1);
    end_with_starter();
    int signal = -1;
    (void)::prctl(PR_GET_PDEATHSIG, &signal);
    ::_exit(std::getenv(kEndsWithVariable) != nullptr ? 99 : signal);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(StarterLife, OfTheParentEndsItsChild) { EXPECT_EQ(end_of_child(::getpid()), SIGTERM); }

TEST(StarterLife, OfAnotherThatIsAliveMeansNothing) { EXPECT_EQ(end_of_child(::getppid()), 0); }

TEST(StarterLife, OfOneThatIsGoneEndsItAtOnce) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  EXPECT_EQ(end_of_child(gone), 128 + SIGTERM);
}

TEST(StarterLife, OfOneThatHasEndedAndIsNotTakenInEndsItAtOnce) {
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  siginfo_t facts{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(ended), &facts, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(end_of_child(ended), 128 + SIGTERM);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
}

TEST(StarterLife, IsHeardHoweverTheStarterEnds) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    const pid_t self = ::getpid(), child = ::fork();
    if (child == 0) {
      sigset_t term;
      (void)::sigemptyset(&term);
      (void)::sigaddset(&term, SIGTERM);
      (void)::sigprocmask(SIG_BLOCK, &term, nullptr);
      (void)::setenv(kEndsWithVariable, std::to_string(self).c_str(), 1);
      end_with_starter();
      int heard = 0;
      (void)::kill(self, SIGKILL);
      (void)::sigwait(&term, &heard);
      (void)!::write(ends[1], "t", heard == SIGTERM ? 1 : 0);
      ::_exit(0);
    }
    for (;;) (void)::pause();
  }
  (void)::close(ends[1]);
  char word = 0;
  EXPECT_EQ(::read(ends[0], &word, 1), 1);
  EXPECT_EQ(word, 't');
  (void)::close(ends[0]);
  (void)::waitpid(starter, nullptr, 0);
}

}  // namespace
}  // namespace tactus::rtsync::starter_life_test
