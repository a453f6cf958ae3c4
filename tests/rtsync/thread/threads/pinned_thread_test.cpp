// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/pinned_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/rtsync/support/all_granted.hpp"
#include "tests/rtsync/support/call_filter.hpp"
#include "tests/rtsync/support/scratch_process.hpp"

namespace tactus::rtsync::pinned_thread_test {
namespace {

using ::testing::HasSubstr;

const Provision* find(const std::vector<Provision>& provisions, const std::string& part) {
  for (const Provision& provision : provisions) {
    if (provision.what.find(part) != std::string::npos) return &provision;
  }
  return nullptr;
}

TEST(PinnedThreadSettings, AreInForceBeforeTheBodyStarts) {
  const CpuSet one{allowed_cpus().last()};
  std::string name(16, '\0');
  std::optional<CpuSet> cpus;
  int slack = -1;
  pid_t tid = 0;
  PinnedThread thread{{.name = "plant", .cpus = one}, [&] {
                        ::prctl(PR_GET_NAME, name.data());
                        cpus = affinity_of(0);
                        slack = ::prctl(PR_GET_TIMERSLACK);
                        tid = ::gettid();
                      }};
  EXPECT_TRUE(all_granted(thread.provisions()));
  thread.join();
  EXPECT_STREQ(name.c_str(), "plant");
  EXPECT_EQ(cpus, one);
  EXPECT_EQ(slack, 1);
  EXPECT_EQ(thread.tid(), tid);
}

TEST(PinnedThreadSettings, AreEachReported) {
  PinnedThread thread{
      {.name = "plant", .cpus = {allowed_cpus().first()}, .policy = SchedPolicy::fifo, .priority = 1}, [] {}};
  std::vector<std::string> wishes;
  for (const Provision& provision : thread.provisions()) wishes.push_back(provision.what);
  EXPECT_THAT(wishes, ::testing::ElementsAre("the name 'plant'", "a stack of 2048 KiB in memory",
                                             "CPUs " + std::to_string(allowed_cpus().first()),
                                             "SCHED_FIFO priority 1", "a timer slack of 1 ns"));
}

TEST(PinnedThreadPolicy, IsFifoThatChildrenDoNotInherit) {
  int policy = -1;
  int child = -1;
  PinnedThread thread{{.name = "plant", .policy = SchedPolicy::fifo, .priority = 5}, [&] {
                        policy = ::sched_getscheduler(0);
                        std::thread([&] { child = ::sched_getscheduler(0); }).join();
                      }};
  const auto provisions = thread.provisions();
  thread.join();
  const Provision* const fifo = find(provisions, "SCHED_FIFO");
  ASSERT_NE(fifo, nullptr);
  EXPECT_EQ(child, SCHED_OTHER);
  if (!fifo->granted) {
    EXPECT_EQ(fifo->got, "SCHED_OTHER");
    EXPECT_FALSE(fifo->cause.empty());
    EXPECT_FALSE(fifo->fix.empty());
    GTEST_SKIP() << "SCHED_FIFO is not granted here: " << sentence(*fifo);
  }
  EXPECT_EQ(policy, SCHED_FIFO | SCHED_RESET_ON_FORK);
}

TEST(PinnedThreadPolicy, IsRefusedWithCauseAndFixAndTheBodyRunsAllTheSame) {
  EXPECT_EQ(in_scratch_process([] {
              if (!lose_every_right()) return 1;
              bool ran = false;
              PinnedThread thread{{.name = "plant", .policy = SchedPolicy::fifo, .priority = 80},
                                  [&] { ran = true; }};
              thread.join();
              const auto provisions = thread.provisions();
              const Provision* const fifo = find(provisions, "SCHED_FIFO");
              if (fifo == nullptr || fifo->granted || !ran) return 2;
              std::fprintf(stderr, "%s\n", sentence(*fifo).c_str());
              const bool named = fifo->cause.find("RLIMIT_RTPRIO is 0") != std::string::npos &&
                                 fifo->cause.find("CAP_SYS_NICE is missing") != std::string::npos;
              return named && !fifo->fix.empty() ? 0 : 3;
            }),
            0);
}

/// Tells what becomes of a thread's request where a filter forbids a call: 0, it is named; 77, no filter may be set, or the
/// call is refused without one, too.
int with_forbidden(unsigned call, const ThreadSettings& settings, const std::string& what,
                   const std::string& name) {
  return in_scratch_process([&] {
    constexpr int kNotHere = 77;
    sched_param param{.sched_priority = settings.priority};
    if (settings.policy == SchedPolicy::fifo && ::sched_setscheduler(0, SCHED_FIFO, &param) != 0)
      return kNotHere;
    param.sched_priority = 0;
    (void)::sched_setscheduler(0, SCHED_OTHER, &param);
    if (!forbid_call(call)) return kNotHere;
    bool ran = false;
    PinnedThread thread{settings, [&ran] { ran = true; }};
    thread.join();
    const std::vector<Provision> provisions = thread.provisions();
    const Provision* const asked = find(provisions, what);
    if (!ran || asked == nullptr) return 1;
    if (asked->granted) return 2;
    return !asked->lacks.empty() && asked->forbidden_call == name && !asked->forbidden_by.empty() ? 0 : 3;
  });
}

TEST(PinnedThreadPolicy, ThatAFilterForbidsIsNamedAndTheBodyRunsAllTheSame) {
  const int policy = with_forbidden(SYS_sched_setscheduler, {.policy = SchedPolicy::fifo, .priority = 80},
                                    "SCHED_FIFO", "sched_setscheduler");
  if (policy == 77) GTEST_SKIP() << "no filter of system calls, or no real time, is allowed here";
  EXPECT_EQ(policy, 0);
}

TEST(PinnedThreadCpus, ThatAFilterForbidsAreNamedAndTheBodyRunsAllTheSame) {
  const int cpus = with_forbidden(SYS_sched_setaffinity, {.cpus = CpuSet{allowed_cpus().last()}}, "CPUs",
                                  "sched_setaffinity");
  if (cpus == 77) GTEST_SKIP() << "no filter of system calls is allowed here";
  EXPECT_EQ(cpus, 0);
}

TEST(PinnedThreadPolicy, RefusesAPriorityThatCannotBe) {
  for (const int priority : {0, 100, -3}) {
    PinnedThread thread{{.name = "plant", .policy = SchedPolicy::fifo, .priority = priority}, [] {}};
    const auto provisions = thread.provisions();
    const Provision* const fifo = find(provisions, "SCHED_FIFO");
    ASSERT_NE(fifo, nullptr);
    EXPECT_FALSE(fifo->granted);
    EXPECT_THAT(fifo->cause, HasSubstr("outside 1 .. 99"));
  }
}

TEST(PinnedThreadPolicy, OfAMakerWithFifoIsNotInherited) {
  int inner = -1;
  PinnedThread outer{{.name = "outer", .policy = SchedPolicy::rr, .priority = 3}, [&] {
                       PinnedThread thread{{.name = "inner"},
                                           [&] { inner = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; }};
                     }};
  outer.join();
  EXPECT_EQ(inner, SCHED_OTHER);
}

TEST(PinnedThreadName, IsCutAfter15BytesAndSaysSo) {
  PinnedThread thread{{.name = "a-name-too-long-for-ps"}, [] {}};
  const auto provisions = thread.provisions();
  const Provision* const name = find(provisions, "name");
  ASSERT_NE(name, nullptr);
  EXPECT_FALSE(name->granted);
  EXPECT_EQ(name->got, "'a-name-too-long'");
  EXPECT_THAT(name->cause, HasSubstr("22 bytes where Linux keeps 15"));
}

TEST(PinnedThreadCpus, ThatAreNotThereAreRefusedWithThoseThatAre) {
  PinnedThread thread{{.name = "plant", .cpus = {CpuSet::kLimit - 1}}, [] {}};
  const auto provisions = thread.provisions();
  const Provision* const cpus = find(provisions, "CPUs");
  ASSERT_NE(cpus, nullptr);
  EXPECT_FALSE(cpus->granted);
  EXPECT_EQ(cpus->got, "CPUs " + affinity_of(0)->text());
  EXPECT_THAT(cpus->fix, HasSubstr("choose among the CPUs"));
}

TEST(PinnedThreadCpus, ThatAreOnlyPartlyThereAreNotCalledGranted) {
  PinnedThread thread{{.name = "plant", .cpus = {allowed_cpus().first(), 4095}}, [] {}};
  const auto provisions = thread.provisions();
  const Provision* const cpus = find(provisions, "CPUs");
  ASSERT_NE(cpus, nullptr);
  EXPECT_FALSE(cpus->granted);
  EXPECT_EQ(cpus->got, "CPUs " + std::to_string(allowed_cpus().first()));
}

TEST(PinnedThreadSignals, AreBlockedButTheSynchronousFaults) {
  sigset_t mask;
  sigemptyset(&mask);
  sigset_t mine_before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mine_before);
  PinnedThread thread{{.name = "plant"}, [&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask); }};
  thread.join();
  for (const int blocked : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGHUP, SIGCHLD, SIGPIPE})
    EXPECT_EQ(sigismember(&mask, blocked), 1) << blocked;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
    EXPECT_EQ(sigismember(&mask, fault), 0) << fault;
  sigset_t mine_after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mine_after);
  EXPECT_EQ(sigismember(&mine_after, SIGINT), sigismember(&mine_before, SIGINT))
      << "the maker keeps its own mask";
}

TEST(PinnedThreadJoin, RethrowsWhatTheBodyThrewOnce) {
  PinnedThread thread{{.name = "plant"}, [] { throw std::runtime_error("the plant is on fire"); }};
  EXPECT_TRUE(thread.joinable());
  try {
    thread.join();
    FAIL();
  } catch (const std::runtime_error& failure) {
    EXPECT_STREQ(failure.what(), "the plant is on fire");
  }
  EXPECT_FALSE(thread.joinable());
  EXPECT_NO_THROW(thread.join());
}

TEST(PinnedThreadJoin, LeavesATraceOfAnExceptionNobodyFetched) {
  ::testing::internal::CaptureStderr();
  {
    PinnedThread thread{{.name = "plant"}, [] { throw std::runtime_error("the plant is on fire"); }};
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("thread 'plant' ended with an exception that was not fetched: the plant is on fire"));
}

TEST(PinnedThreadJoin, WaitsForTheBodyOnDestruction) {
  std::atomic<bool> done{false};
  {
    PinnedThread thread{{.name = "plant"}, [&] {
                          std::this_thread::sleep_for(std::chrono::milliseconds{5});
                          done = true;
                        }};
  }
  EXPECT_TRUE(done);
}

TEST(PinnedThreadStack, HasTheSizeThatWasAsked) {
  std::size_t bytes = 0;
  PinnedThread thread{{.name = "plant", .stack_bytes = (std::size_t{1} << 20) + 1, .prefault_stack = false},
                      [&] {
                        pthread_attr_t attributes;
                        ASSERT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
                        ::pthread_attr_getstacksize(&attributes, &bytes);
                        ::pthread_attr_destroy(&attributes);
                      }};
  thread.join();
  EXPECT_GE(bytes, std::size_t{1} << 20);
}

TEST(PinnedThreadStack, ThatCannotBeIsAnError) {
  EXPECT_THROW((PinnedThread{{.name = "plant", .stack_bytes = std::size_t{1} << 60}, [] {}}),
               std::system_error);
}

TEST(ThisThread, TakesTheSameSettings) {
  std::thread([] {
    const CpuSet one{allowed_cpus().first()};
    const auto provisions = apply_to_this_thread({.name = "main", .cpus = one, .stack_bytes = 65536});
    EXPECT_TRUE(all_granted(provisions));
    EXPECT_EQ(affinity_of(0), one);
  }).join();
}

TEST(ThisThread, ComesBackFromFifo) {
  std::thread([] {
    const auto up = apply_to_this_thread(
        {.name = "main", .policy = SchedPolicy::fifo, .priority = 2, .prefault_stack = false});
    const auto down =
        apply_to_this_thread({.name = "main", .policy = SchedPolicy::other, .prefault_stack = false});
    EXPECT_TRUE(all_granted(down));
    EXPECT_EQ(::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
  }).join();
}

TEST(PolicyName, IsTheKernels) {
  EXPECT_EQ(name_of(SchedPolicy::fifo), "SCHED_FIFO");
  EXPECT_EQ(kernel_policy_name(SCHED_RR | SCHED_RESET_ON_FORK), "SCHED_RR");
  EXPECT_EQ(kernel_policy_name(6), "SCHED_DEADLINE");
  EXPECT_EQ(kernel_policy_name(42), "policy 42");
}

}  // namespace
}  // namespace tactus::rtsync::pinned_thread_test
