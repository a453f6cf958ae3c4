// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/cpu_time_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "rtsync/clock/clock.hpp"
#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "tests/rtsync/support/scratch_process.hpp"
#include "tests/support/death_test_style.hpp"

namespace tactus::rtsync::cpu_time_limit_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A kernel that keeps one limit, for a caller with or without CAP_SYS_RESOURCE.
struct FakeKernel {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  bool may_raise = false;

  CpuTimeKernel ask() {
    return {[this](rlimit& answer) {
              answer = limit;
              return 0;
            },
            [this](const rlimit& wanted) {
              if (wanted.rlim_cur > wanted.rlim_max) return EINVAL;
              if (wanted.rlim_max > limit.rlim_max && !may_raise) return EPERM;
              limit = wanted;
              return 0;
            }};
  }
};

TEST(CpuTimeLimit, WarnsAtTheLimitAndKillsASecondLater) {
  FakeKernel kernel;
  kernel.may_raise = true;
  {
    const CpuTimeLimit limit{500ms, kernel.ask()};
    EXPECT_TRUE(limit.provision().granted);
    EXPECT_EQ(limit.provision().what,
              "an end for a real-time thread that runs for 500 ms without ever sleeping");
    EXPECT_EQ(limit.provision().got, "SIGXCPU after 500 ms, SIGKILL after 1.50 s");
    EXPECT_EQ(kernel.limit.rlim_cur, 500'000U);
    EXPECT_EQ(kernel.limit.rlim_max, 1'500'000U);
  }
  EXPECT_EQ(kernel.limit.rlim_cur, RLIM_INFINITY) << "as it was before";
  EXPECT_EQ(kernel.limit.rlim_max, RLIM_INFINITY);
}

TEST(CpuTimeLimit, IsRoundedUpToMicroseconds) {
  struct Row {
    Nanoseconds time;
    rlim_t us;
  };
  for (const Row& row : {Row{1ns, 1}, Row{1000ns, 1}, Row{1001ns, 2}, Row{-5ns, 1}, Row{0ns, 1}}) {
    FakeKernel kernel;
    const CpuTimeLimit limit{row.time, kernel.ask()};
    EXPECT_EQ(kernel.limit.rlim_cur, row.us);
  }
}

TEST(CpuTimeLimit, GivesBackWhatItMayWhenTheHardLimitCannotBeRaised) {
  FakeKernel kernel;
  { const CpuTimeLimit limit{500ms, kernel.ask()}; }
  EXPECT_EQ(kernel.limit.rlim_cur, 1'500'000U);
  EXPECT_EQ(kernel.limit.rlim_max, 1'500'000U);
}

TEST(CpuTimeLimit, KeepsAHardLimitThatComesSooner) {
  FakeKernel kernel;
  kernel.limit = {800'000, 800'000};
  {
    const CpuTimeLimit limit{500ms, kernel.ask()};
    EXPECT_TRUE(limit.provision().granted) << "it is warned before it is killed";
    EXPECT_EQ(limit.provision().got, "SIGXCPU after 500 ms, SIGKILL after 800 ms");
  }
  EXPECT_EQ(kernel.limit.rlim_cur, 800'000U);
}

TEST(CpuTimeLimit, IsRefusedUnderAHardLimitThatKillsWithoutWarning) {
  FakeKernel kernel;
  kernel.limit = {300'000, 500'000};
  {
    const CpuTimeLimit limit{500ms, kernel.ask()};
    EXPECT_FALSE(limit.provision().granted);
    EXPECT_EQ(limit.provision().got, "SIGXCPU after 300 ms, SIGKILL after 500 ms");
    EXPECT_THAT(limit.provision().cause, HasSubstr("CAP_SYS_RESOURCE"));
    EXPECT_THAT(limit.provision().fix, HasSubstr("LimitRTTIME=infinity"));
  }
  EXPECT_EQ(kernel.limit.rlim_cur, 300'000U) << "unchanged";
}

TEST(CpuTimeLimit, ReportsAnyOtherAnswerOfTheKernel) {
  const CpuTimeLimit no_get{1s, {[](rlimit&) { return EINVAL; }, [](const rlimit&) { return 0; }}};
  EXPECT_THAT(no_get.provision().cause, HasSubstr("getrlimit(RLIMIT_RTTIME) answered Invalid argument"));
  const CpuTimeLimit no_set{1s, {[](rlimit&) { return 0; }, [](const rlimit&) { return EINVAL; }}};
  EXPECT_THAT(no_set.provision().cause, HasSubstr("setrlimit(RLIMIT_RTTIME) answered Invalid argument"));
}

TEST(CpuTimeLimit, IsInForceInThisProcess) {
  EXPECT_EQ(in_scratch_process([] {
              rlimit before{};
              rlimit within{};
              (void)::getrlimit(RLIMIT_RTTIME, &before);
              {
                const CpuTimeLimit limit{200ms};
                if (!limit.provision().granted) return 1;
                (void)::getrlimit(RLIMIT_RTTIME, &within);
              }
              rlimit after{};
              (void)::getrlimit(RLIMIT_RTTIME, &after);
              if (within.rlim_cur != 200'000 || within.rlim_max > 1'200'000) return 2;
              return after.rlim_max < before.rlim_max || after.rlim_cur == before.rlim_cur ? 0 : 3;
            }),
            0);
}

bool drive(void*) TACTUS_RT { return true; }

/// A thread of SCHED_FIFO that never sleeps. It has a CPU for itself, and ends after 15 s in any case.
void run_on() {
  for (const int signal : {SIGXCPU, SIGSEGV, SIGABRT}) std::signal(signal, SIG_DFL);
  (void)set_affinity(0, {allowed_cpus().first()});
  CrashHandler handler;
  handler.add(&drive, nullptr);
  const CpuTimeLimit limit{100ms};
  if (!limit.provision().granted) std::_Exit(70);
  PinnedThread thread{
      {.name = "spins", .cpus = {allowed_cpus().last()}, .policy = SchedPolicy::fifo, .priority = 1}, [] {
        const auto end = monotonic_now() + 15s;
        while (monotonic_now() < end) {
        }
      }};
  thread.join();
  std::_Exit(77);
}

TEST(CpuTimeLimitDeath, EndsARealTimeThreadThatNeverSleepsWithAMessage) {
  if (allowed_cpus().count() < 2) GTEST_SKIP() << "it takes a CPU to spin on, and another one for the rest";
  const PinnedThread probe{{.name = "probe", .policy = SchedPolicy::fifo, .priority = 1}, [] {}};
  for (const Provision& provision : probe.provisions())
    if (!provision.granted && provision.what.starts_with("SCHED_FIFO")) GTEST_SKIP() << sentence(provision);
  GTEST_FLAG_SET(death_test_style, test::kDeathTestStyle);
  EXPECT_EXIT(run_on(), ::testing::KilledBySignal(SIGXCPU),
              "tactus: SIGXCPU .a real-time thread ran for as long as RLIMIT_RTTIME allows without ever "
              "sleeping.; the outputs were driven safe");
}

}  // namespace
}  // namespace tactus::rtsync::cpu_time_limit_test
