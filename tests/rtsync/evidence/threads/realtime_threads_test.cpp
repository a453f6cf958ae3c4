// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/realtime_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace tactus::rtsync::realtime_threads_test {
namespace {

TEST(RealtimeThreads, BeforeTheFirstLookAnyThreadMayBeOne) {
  const RealtimeThreads threads;
  EXPECT_TRUE(threads.has(::gettid()));
}

TEST(RealtimeThreads, WhereNothingCanBeReadAnyThreadMayBeOne) {
  RealtimeThreads threads;
  threads.look("/dev/null");
  EXPECT_TRUE(threads.has(::gettid()));
}

TEST(RealtimeThreads, AnOrdinaryThreadIsNone) {
  RealtimeThreads threads;
  for (int look = 0; look < 3; ++look) {
    threads.look();
    EXPECT_FALSE(threads.has(::gettid()));
    EXPECT_TRUE(threads.is_ordinary(::gettid()));
  }
}

TEST(RealtimeThreads, OneThatNobodyHasSeenIsNeither) {
  RealtimeThreads threads;
  EXPECT_FALSE(threads.is_realtime(20) || threads.is_ordinary(20));
  threads.take({30, 10, 20}, {70, 50});
  for (const pid_t thread : {10, 20, 30})
    EXPECT_TRUE(threads.is_realtime(thread) && threads.has(thread)) << thread;
  for (const pid_t thread : {50, 70})
    EXPECT_TRUE(threads.is_ordinary(thread) && !threads.has(thread)) << thread;
  for (const pid_t thread : {9, 40, 60, 99}) {
    EXPECT_FALSE(threads.is_realtime(thread) || threads.is_ordinary(thread)) << thread;
    EXPECT_FALSE(threads.has(thread)) << "an ordinary one that has begun since";
  }
}

TEST(RealtimeThreads, OfTooManyAnyThreadMayBeOne) {
  RealtimeThreads threads;
  threads.take(std::vector<pid_t>(RealtimeThreads::kMost + 1, 10), {50});
  EXPECT_TRUE(threads.has(99));
  EXPECT_FALSE(threads.is_realtime(99));
}

TEST(RealtimeThreads, SeeAProcessOfOneThreadAndEachThreadOfAnother) {
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  ASSERT_GT(child, 0);
  std::atomic<pid_t> second{0};
  std::atomic<bool> done{false};
  std::thread thread([&] {
    second = ::gettid();
    second.notify_all();
    done.wait(false);
  });
  second.wait(0);
  RealtimeThreads threads;
  threads.look();
  done = true;
  done.notify_all();
  thread.join();
  for (const pid_t each : {child, ::getpid(), second.load()}) EXPECT_TRUE(threads.is_ordinary(each)) << each;
  (void)::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  threads.look();
  EXPECT_FALSE(threads.is_ordinary(child)) << "it has ended";
}

TEST(RealtimeThreads, AThreadIsOneAsLongAsItsPolicySaysSo) {
  std::atomic<int> stage{0};
  std::atomic<pid_t> tid{0};
  std::thread thread([&] {
    sched_param param{};
    param.sched_priority = 1;
    tid = ::sched_setscheduler(0, SCHED_FIFO, &param) == 0 ? ::gettid() : -1;
    stage = 1;
    stage.wait(1);
    param.sched_priority = 0;
    (void)::sched_setscheduler(0, SCHED_OTHER, &param);
    stage = 3;
    stage.notify_all();
    stage.wait(3);
  });
  while (stage == 0) std::this_thread::yield();
  RealtimeThreads threads;
  const bool permitted = tid > 0;
  if (permitted) {
    threads.look();
    EXPECT_TRUE(threads.has(tid) && threads.is_realtime(tid));
  }
  stage = 2;
  stage.notify_all();
  stage.wait(2);
  if (permitted) {
    threads.look();
    EXPECT_FALSE(threads.has(tid));
  }
  stage = 4;
  stage.notify_all();
  thread.join();
  if (!permitted) GTEST_SKIP() << "SCHED_FIFO is not permitted here";
}

}  // namespace
}  // namespace tactus::rtsync::realtime_threads_test
