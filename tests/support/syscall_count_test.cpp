// SPDX-License-Identifier: Apache-2.0
#include "tests/support/syscall_count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>
#include <system_error>
#include <thread>

#include "tests/support/process.hpp"

namespace tactus::test::syscall_count_test {
namespace {

using namespace std::chrono_literals;

const std::string kSubject = SUPPORT_SUBJECT;

/// A started subject whose thread "worker" is there.
class Subject : public Process {
 public:
  explicit Subject(const std::vector<std::string>& words) : Process({.argv = arguments(words)}) {
    EXPECT_TRUE(wait_for_output("ready"));
    while (!threads_of(pid()).contains("worker")) std::this_thread::sleep_for(1ms);
  }
  pid_t worker() const { return threads_of(pid()).at("worker"); }

 private:
  static std::vector<std::string> arguments(const std::vector<std::string>& words) {
    std::vector<std::string> list{kSubject};
    list.insert(list.end(), words.begin(), words.end());
    return list;
  }
};

TEST(SyscallCount, CountsEveryCallOfOneThreadExactly) {
  Subject subject({"call", "300", "60", "leave"});
  const SyscallCount count =
      count_syscalls(subject.worker(), {.limit = 300s, .watching = [&] { subject.signal(SIGUSR1); }});
  EXPECT_TRUE(count.exited) << count;
  EXPECT_EQ(count.of(SYS_getppid), 300U) << count;
  EXPECT_EQ(count.of(SYS_clock_nanosleep), 60U) << count;
  EXPECT_EQ(subject.wait().status, 0);
}

TEST(SyscallCount, EndsWhenThatManyCallsWereMadeAndTheThreadGoesOn) {
  Subject subject({"call", "300", "60"});
  const SyscallCount count = count_syscalls(
      subject.worker(),
      {.until = CallsOf{SYS_getppid, 150}, .limit = 300s, .watching = [&] { subject.signal(SIGUSR1); }});
  EXPECT_TRUE(count.reached) << count;
  EXPECT_FALSE(count.exited);
  auto calls = count.by_number;
  calls.erase(SYS_rt_sigtimedwait);  // the worker may have been on its way to wait for the signal
  EXPECT_EQ(calls, (std::map<long, std::uint64_t>{{SYS_getppid, 150}})) << count;
  subject.signal(SIGUSR2);
  EXPECT_EQ(subject.wait().status, 0);
}

TEST(SyscallCount, FindsOneCallInEveryFrame) {
  Subject subject({"frames"});
  for (int again = 0; again < 5; ++again) {  // each time it breaks into a sleep that is not to be counted
    const SyscallCount count =
        count_syscalls(subject.worker(), {.until = CallsOf{SYS_clock_nanosleep, 100}, .limit = 300s});
    EXPECT_TRUE(count.reached) << count;
    EXPECT_EQ(count.total, 100U) << count;
  }
}

TEST(SyscallCount, StopsAndContinuationsOfTheProcessAreNotCalls) {
  Subject subject({"frames"});
  std::thread job_control;
  const SyscallCount count = count_syscalls(
      subject.worker(), {.until = CallsOf{SYS_clock_nanosleep, 200}, .limit = 300s, .watching = [&] {
                           job_control = std::thread([pid = subject.pid()] {
                             for (int i = 0; i < 5; ++i) {
                               ::kill(pid, SIGSTOP);
                               std::this_thread::sleep_for(5ms);
                               ::kill(pid, SIGCONT);
                               std::this_thread::sleep_for(5ms);
                             }
                           });
                         }});
  job_control.join();
  EXPECT_TRUE(count.reached) << count;
  EXPECT_EQ(count.total, 200U) << count;
}

TEST(SyscallCount, KeepsTheTimeLimitAndTheThreadGoesOn) {
  Subject subject({"call", "10", "10"});  // its worker waits for a signal
  const auto before = std::chrono::steady_clock::now();
  const SyscallCount count = count_syscalls(subject.worker(), {.limit = 50ms});
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
  EXPECT_FALSE(count.reached);
  EXPECT_FALSE(count.exited);
  EXPECT_LE(count.total, 1U) << count;  // its wait, if it came to that only now
  EXPECT_EQ(count.total, count.of(SYS_rt_sigtimedwait)) << count;
  subject.signal(SIGUSR1);
  subject.signal(SIGUSR2);
  EXPECT_EQ(subject.wait().status, 0);
}

TEST(SyscallCount, LeavesAKilledProcessToItsParent) {
  Subject subject({"frames"});
  const SyscallCount worker =
      count_syscalls(subject.worker(), {.limit = 300s, .watching = [&] { subject.signal(SIGKILL); }});
  EXPECT_TRUE(worker.exited) << worker;
  EXPECT_EQ(subject.wait().signal, SIGKILL);

  Subject other({"frames"});
  const SyscallCount leader =
      count_syscalls(other.pid(), {.limit = 300s, .watching = [&] { other.signal(SIGKILL); }});
  EXPECT_TRUE(leader.exited) << leader;
  EXPECT_EQ(other.wait().signal, SIGKILL);
}

TEST(SyscallCount, ReadsAloud) {
  SyscallCount count;
  count.by_number = {{SYS_clock_nanosleep, 1000}, {SYS_futex, 3}, {99999, 1}};
  count.total = 1004;
  std::ostringstream text;
  text << count;
  EXPECT_EQ(text.str(), "1004 calls: clock_nanosleep 1000, futex 3, system call 99999 1");
}

TEST(SyscallCount, SaysWhenAThreadCannotBeWatched) {
  EXPECT_THROW(count_syscalls(::getpid()), std::system_error);  // nobody watches himself
}

}  // namespace
}  // namespace tactus::test::syscall_count_test
