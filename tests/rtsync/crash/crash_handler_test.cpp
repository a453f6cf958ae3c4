// SPDX-License-Identifier: Apache-2.0
/// What a crash does, in a process that is sacrificed for each.
#include "rtsync/crash/crash_handler.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "rtsync/crash/current_call.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "tests/support/death_test_style.hpp"

namespace tactus::rtsync::crash_handler_test {
namespace {

void say(std::string_view text) TACTUS_RT {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}
bool drive(void*) TACTUS_RT {
  say("driven. ");
  return true;
}
bool slow_drive(void*) TACTUS_RT {
  ::usleep(100'000);
  return drive(nullptr);
}
bool refuse(void*) TACTUS_RT { return false; }
bool crash_too(void*) TACTUS_RT { std::abort(); }
thread_local bool runs_jobs = false;
CrashHandler::Ran place(void*) TACTUS_RT { return {"motor.step", !runs_jobs}; }

/// A process with a handler, which then ends somehow.
template <class End>
void with_handler(CrashHandler::Action action, End end, int ignored = 0) {
  // Whatever a sanitizer, or a shell that started us in the background, has made of them.
  for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGQUIT})
    std::signal(signal, signal == ignored ? SIG_IGN : SIG_DFL);
  runs_jobs = true;
  CrashHandler handler;
  if (action != nullptr) handler.add(action, nullptr);
  handler.set_place(&place, nullptr);
  end();
  std::_Exit(77);
}

class CrashHandlerDeath : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, test::kDeathTestStyle); }
};

/// A driver's code that writes where it may not.
void write_nowhere() {
  void* const page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
}
bool crash_in_a_driver(void*) TACTUS_RT {
  const CurrentCall call("driver 'pins' drove its outputs safe");
  write_nowhere();
  return true;
}

TEST_F(CrashHandlerDeath, NamesTheDriverInWhoseCodeItWas) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             const CurrentCall call("driver 'pulse' waited for edges");
                             write_nowhere();
                           }),
              ::testing::KilledBySignal(SIGSEGV),
              "driven. tactus: SIGSEGV while driver 'pulse' waited for edges; the outputs were driven safe");
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             { const CurrentCall call("driver 'pulse' waited for edges"); }
                             write_nowhere();
                           }),
              ::testing::KilledBySignal(SIGSEGV), "SIGSEGV while job 'motor.step' ran");
  EXPECT_EXIT(with_handler(&crash_in_a_driver, [] { std::raise(SIGABRT); }),
              ::testing::KilledBySignal(SIGSEGV),
              "SIGSEGV while driver 'pins' drove its outputs safe; AN OUTPUT COULD NOT BE DRIVEN SAFE");
  EXPECT_EXIT(with_handler(&crash_in_a_driver, [] { write_nowhere(); }), ::testing::KilledBySignal(SIGSEGV),
              "SIGSEGV while driver 'pins' drove its outputs safe; AN OUTPUT COULD NOT BE DRIVEN SAFE");
}

TEST_F(CrashHandlerDeath, DrivesNamesAndDiesOfTheSignal) {
  for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGQUIT}) {
    EXPECT_EXIT(with_handler(&drive, [signal] { std::raise(signal); }), ::testing::KilledBySignal(signal),
                "driven. tactus: SIG[A-Z]+ while job 'motor.step' ran; the outputs were driven safe")
        << signal;
  }
}

TEST_F(CrashHandlerDeath, LeavesASignalThatIsIgnoredAlone) {
  EXPECT_EXIT(with_handler(
                  &drive, [] { std::raise(SIGQUIT); }, SIGQUIT),
              ::testing::ExitedWithCode(77), "^$");
}

TEST_F(CrashHandlerDeath, ASignalThatNobodyHandlesIsNamedWithWhoSentIt) {
  const std::pair<int, const char*> rows[] = {{SIGALRM, "SIGALRM"},
                                              {SIGVTALRM, "SIGVTALRM"},
                                              {SIGPROF, "SIGPROF"},
                                              {SIGIO, "SIG(IO|POLL)"},
                                              {SIGPWR, "SIGPWR"},
                                              {SIGSTKFLT, "SIGSTKFLT"},
                                              {SIGUSR1, "SIGUSR1"},
                                              {SIGPIPE, "SIGPIPE"},
                                              {SIGTERM, "SIGTERM"},
                                              {SIGRTMIN, "SIGRTMIN\\+0"},
                                              {SIGRTMAX, "SIGRTMIN\\+[0-9]+"}};
  for (const auto& [signal, name] : rows) {
    const int number = signal;
    std::signal(number, SIG_DFL);
    EXPECT_EXIT(
        with_handler(&drive, [number] { ::kill(::getpid(), number); }), ::testing::KilledBySignal(number),
        "driven. tactus: " + std::string(name) +
            " came, sent by process [0-9]+: nothing handles it, so it ends the process; the outputs were "
            "driven safe");
  }
}

TEST_F(CrashHandlerDeath, ATimerOfTheKernelIsNoProcess) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             const itimerval soon{{0, 0}, {0, 1000}};
                             (void)::setitimer(ITIMER_REAL, &soon, nullptr);
                             for (;;) (void)::pause();
                           }),
              ::testing::KilledBySignal(SIGALRM), "driven. tactus: SIGALRM came: nothing handles it");
}

TEST_F(CrashHandlerDeath, ASignalThatSomebodyHandlesIsHis) {
  EXPECT_EXIT(
      {
        std::signal(SIGALRM, [](int) { say("mine. "); });
        with_handler(&drive, [] {
          std::raise(SIGALRM);
          std::signal(SIGPROF, [](int) { say("mine, too. "); });
          std::raise(SIGPROF);
          std::raise(SIGWINCH);
        });
      },
      ::testing::ExitedWithCode(77), "^mine. mine, too. $");
}

TEST_F(CrashHandlerDeath, WhatSomebodyHandlesMeanwhileIsLeftToHim) {
  EXPECT_EXIT(
      {
        {
          const CrashHandler handler;
          std::signal(SIGPROF, [](int) { say("mine. "); });
        }
        std::raise(SIGPROF);
        std::raise(SIGALRM);
      },
      ::testing::KilledBySignal(SIGALRM), "^mine. $");
}

TEST_F(CrashHandlerDeath, NamesTheThreadThatRunsNoJobs) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             std::thread([] {
                               (void)::pthread_setname_np(::pthread_self(), "reader of maps");
                               throw 5;  // nobody catches it: std::terminate
                             }).join();
                           }),
              ::testing::KilledBySignal(SIGABRT),
              "driven. tactus: SIGABRT in thread [0-9]+ \\('reader of maps'\\), which runs none of the rig's "
              "jobs; the outputs were driven safe");
  EXPECT_EXIT(with_handler(&drive, [] { std::thread([] { std::exit(0); }).join(); }),
              ::testing::ExitedWithCode(1),
              "tactus: exit\\(\\) was called in thread [0-9]+, which runs none");
}

TEST_F(CrashHandlerDeath, ASignalFromOutsideBlamesNoThread) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             runs_jobs = false;  // as the thread to which it comes by chance
                             ::kill(::getpid(), SIGQUIT);
                           }),
              ::testing::KilledBySignal(SIGQUIT), "tactus: SIGQUIT while job 'motor.step' ran");
}

TEST_F(CrashHandlerDeath, ActsForAThreadThatIsNotTheRigs) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             std::thread([] {
                               const CrashStack stack;
                               std::raise(SIGSEGV);
                             }).join();
                           }),
              ::testing::KilledBySignal(SIGSEGV), "driven. tactus: SIGSEGV");
}

TEST_F(CrashHandlerDeath, ASecondCrashWaitsForTheActionsOfTheFirst) {
  EXPECT_EXIT(
      with_handler(&slow_drive,
                   [] {
                     std::thread first([] {
                       runs_jobs = true;
                       std::raise(SIGSEGV);
                     });
                     ::usleep(20'000);
                     std::raise(SIGFPE);
                     first.join();
                   }),
      // Whose signal ends the process once the actions are done is a race that changes nothing.
      [](int status) {
        return ::testing::KilledBySignal(SIGSEGV)(status) || ::testing::KilledBySignal(SIGFPE)(status);
      },
      "^driven. tactus: SIG[A-Z]+ while job 'motor.step' ran; the outputs were driven safe\n$");
}

TEST_F(CrashHandlerDeath, AnActionThatCrashesIsNotCalledAgain) {
  EXPECT_EXIT(with_handler(&crash_too, [] { std::raise(SIGSEGV); }), ::testing::KilledBySignal(SIGABRT), "");
}

TEST_F(CrashHandlerDeath, SaysWhenAnOutputRefuses) {
  EXPECT_EXIT(with_handler(&refuse, [] { std::raise(SIGSEGV); }), ::testing::KilledBySignal(SIGSEGV),
              "AN OUTPUT COULD NOT BE DRIVEN SAFE");
}

TEST_F(CrashHandlerDeath, AnExitThatNobodyAskedForIsACrash) {
  EXPECT_EXIT(with_handler(&drive, [] { std::exit(0); }), ::testing::ExitedWithCode(1),
              "driven. tactus: exit\\(\\) was called while job 'motor.step' ran");
}

TEST_F(CrashHandlerDeath, SoIsAQuickExit) {
  EXPECT_EXIT(with_handler(&drive, [] { std::quick_exit(0); }), ::testing::ExitedWithCode(1),
              "driven. tactus: quick_exit\\(\\) was called while job 'motor.step' ran");
}

TEST_F(CrashHandlerDeath, WithoutAHandlerAGuardRefusesTheExit) {
  EXPECT_EXIT(
      {
        const ExitGuard guard;
        std::exit(0);
      },
      ::testing::ExitedWithCode(1), "a model or a library called exit\\(\\)");
}

TEST_F(CrashHandlerDeath, AnExitAfterTheGuardIsNone) {
  EXPECT_EXIT(
      {
        { const ExitGuard guard; }
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "^$");
}

TEST_F(CrashHandlerDeath, AnExitAfterTheHandlerIsNone) {
  EXPECT_EXIT(
      {
        { const CrashHandler handler; }
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "^$");
}

TEST_F(CrashHandlerDeath, AChildOfForkEndsByItself) {
  EXPECT_EXIT(with_handler(&drive,
                           [] {
                             const pid_t child = ::fork();
                             if (child == 0) std::raise(SIGSEGV);
                             int status = 0;
                             (void)::waitpid(child, &status, 0);
                             std::_Exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 5 : 6);
                           }),
              ::testing::ExitedWithCode(5),
              "^tactus: a child that a model or a library made by fork\\(\\) ended with SIGSEGV[^\n]*\n$");
}

TEST_F(CrashHandlerDeath, AStderrThatNobodyReadsDoesNotHoldItUp) {
  EXPECT_EXIT(with_handler(nullptr,
                           [] {
                             int ends[2];
                             if (::pipe(ends) != 0) std::_Exit(78);
                             (void)::fcntl(ends[1], F_SETFL, O_NONBLOCK);
                             const char some[1024] = {};
                             while (::write(ends[1], some, sizeof some) > 0) {
                             }
                             while (::write(ends[1], some, 1) > 0) {
                             }
                             (void)::fcntl(ends[1], F_SETFL, 0);
                             (void)::dup2(ends[1], STDERR_FILENO);
                             ::alarm(20);
                             std::raise(SIGSEGV);
                           }),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(CrashHandler, ThereIsOneAtATimeAndItHasRoomForSoMany) {
  CrashHandler handler;
  EXPECT_THROW(CrashHandler{}, std::logic_error);
  for (std::size_t i = 0; i < CrashHandler::kMostActions; ++i) handler.add(&drive, nullptr);
  EXPECT_THROW(handler.add(&drive, nullptr), std::length_error);
}

}  // namespace
}  // namespace tactus::rtsync::crash_handler_test
