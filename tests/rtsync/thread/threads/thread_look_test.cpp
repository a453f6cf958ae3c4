// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_look.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace tactus::rtsync::thread_look_test {
namespace {

using namespace std::chrono_literals;

/// A thread that does the same again and again.
class Busy {
 public:
  template <class Work>
  explicit Busy(Work work)
      : thread_([this, work] {
          tid_ = ::gettid();
          while (!end_) work();
        }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Busy() { end_ = true; }
  pid_t tid() const { return tid_; }

 private:
  std::atomic<pid_t> tid_{0};
  std::atomic<bool> end_{false};
  std::jthread thread_;
};

TEST(ThreadLook, OneThatSpinsComputes) {
  const Busy spins([] {});
  const ThreadLook look = look_at_thread(spins.tid());
  EXPECT_TRUE(look.computes()) << look.ready << " " << look.asleep << " " << look.in_user.count() << " "
                               << look.in_kernel.count();
  EXPECT_FALSE(look.sleeps());
}

TEST(ThreadLook, OneThatSleepsSleeps) {
  const Busy sleeps([] { std::this_thread::sleep_for(200ms); });
  std::this_thread::sleep_for(20ms);
  const ThreadLook look = look_at_thread(sleeps.tid());
  EXPECT_TRUE(look.sleeps());
  EXPECT_FALSE(look.computes());
  EXPECT_GE(look.slept, 50ms);
  EXPECT_GE(look.blocks, 1U);
}

TEST(ThreadLook, OfOneThatHasEndedNothingIsKnown) {
  pid_t tid = 0;
  std::thread([&tid] { tid = ::gettid(); }).join();
  const ThreadLook look = look_at_thread(tid);
  EXPECT_FALSE(look.sleeps());
  EXPECT_FALSE(look.computes());
}

}  // namespace
}  // namespace tactus::rtsync::thread_look_test
