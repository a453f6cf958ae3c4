// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <latch>
#include <optional>
#include <string>
#include <thread>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::rtsync::thread_list_test {
namespace {

std::optional<ThreadFacts> listed(pid_t tid) {
  for (const ThreadFacts& facts : list_threads()) {
    if (facts.tid == tid) return facts;
  }
  return std::nullopt;
}

TEST(ThreadList, ShowsWhatIsInForceForEachThread) {
  std::latch leave{1};
  const CpuSet one{allowed_cpus().last()};
  PinnedThread thread{{.name = "plant", .cpus = one, .policy = SchedPolicy::rr, .priority = 7},
                      [&] { leave.wait(); }};
  const auto facts = listed(thread.tid());
  leave.count_down();
  const auto provisions = thread.provisions();
  thread.join();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->name, "plant");
  EXPECT_EQ(facts->cpus, one);
  for (const Provision& provision : provisions) {
    if (provision.what != "SCHED_RR priority 7") continue;
    EXPECT_EQ(facts->policy, provision.granted ? SCHED_RR : SCHED_OTHER);
    EXPECT_EQ(facts->policy_name, provision.granted ? "SCHED_RR" : "SCHED_OTHER");
    EXPECT_EQ(facts->priority, provision.granted ? 7 : 0);
    EXPECT_EQ(facts->reset_on_fork, provision.granted);
  }
}

TEST(ThreadList, HoldsTheInitialThread) {
  const auto facts = listed(::getpid());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->tid, ::getpid());
  EXPECT_FALSE(facts->cpus.empty());
}

TEST(Evicting, MovesAThreadThatALibraryMadeInAPinnedOne) {
  if (allowed_cpus().count() < 2) GTEST_SKIP() << "one CPU only: there is nowhere to move to";
  const CpuSet rig{allowed_cpus().last()};
  const CpuSet helpers = allowed_cpus() - rig;
  std::latch leave{1};
  std::latch made{1};
  pid_t foreign = 0;
  PinnedThread thread{{.name = "plant", .cpus = rig, .policy = SchedPolicy::fifo, .priority = 1}, [&] {
                        std::thread library([&] {
                          foreign = ::gettid();
                          made.count_down();
                          leave.wait();
                        });
                        library.join();
                      }};
  made.wait();
  const auto before = listed(foreign);
  const Provision moved = evict(foreign, helpers);
  const auto after = listed(foreign);
  leave.count_down();
  thread.join();
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->cpus, rig) << "a thread inherits the CPUs of its maker";
  EXPECT_TRUE(moved.granted) << sentence(moved);
  EXPECT_EQ(after->cpus, helpers);
  EXPECT_EQ(after->policy, SCHED_OTHER);
}

TEST(Evicting, TakesTheRealTimePolicyAway) {
  std::latch leave{1};
  PinnedThread thread{{.name = "plant", .policy = SchedPolicy::fifo, .priority = 1}, [&] { leave.wait(); }};
  const Provision moved = evict(thread.tid(), allowed_cpus());
  const auto after = listed(thread.tid());
  leave.count_down();
  thread.join();
  EXPECT_TRUE(moved.granted) << sentence(moved);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->policy, SCHED_OTHER);
  EXPECT_EQ(after->priority, 0);
}

TEST(Evicting, LeavesOtherProcessesAlone) {
  const Provision refused = evict(1 == ::getpid() ? ::getppid() : 1, allowed_cpus());
  if (refused.granted) GTEST_SKIP() << "there is no process 1 to be seen here";
  EXPECT_THAT(refused.cause, ::testing::HasSubstr("not a thread of this process"));
  EXPECT_FALSE(evict(0, allowed_cpus()).granted);
  EXPECT_FALSE(evict(-1, allowed_cpus()).granted);
}

TEST(Evicting, AThreadThatHasEndedIsDone) { EXPECT_TRUE(evict(0x3fffffff, allowed_cpus()).granted); }

TEST(Evicting, ToNowhereIsRefused) {
  std::latch leave{1};
  PinnedThread thread{{.name = "plant", .prefault_stack = false}, [&] { leave.wait(); }};
  const Provision nowhere = evict(thread.tid(), CpuSet{});
  const Provision absent = evict(thread.tid(), CpuSet{CpuSet::kLimit - 1});
  leave.count_down();
  thread.join();
  EXPECT_FALSE(nowhere.granted);
  EXPECT_THAT(nowhere.cause, ::testing::HasSubstr("no CPU was named"));
  EXPECT_FALSE(absent.granted);
  EXPECT_THAT(absent.cause, ::testing::HasSubstr("none of these CPUs is allowed here"));
}

}  // namespace
}  // namespace tactus::rtsync::thread_list_test
