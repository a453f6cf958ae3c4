// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/run_delays.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::run_delays_test {
namespace {

using namespace std::chrono_literals;

std::optional<Nanoseconds> in(const std::string& text) { return run_delay_in(text); }

TEST(RunDelays, AreTheSecondNumberOfTheKernelsText) {
  EXPECT_EQ(in("988164 81742 1\n"), 81'742ns);
  EXPECT_EQ(in("0 0 0\n"), 0ns) << "a kernel that does not count";
  for (const char* const text : {"", "988164", "988164 ", "988164 81742", "x 1 2\n", "1 -5 2\n"})
    EXPECT_EQ(in(text), std::nullopt) << text;
}

/// A thread whose counts the test writes.
class CountedThread : public ::testing::Test {
 protected:
  CountedThread() { waited(0ns); }
  void waited(Nanoseconds time) {
    root_.write("/proc/self/task/7/schedstat", "1000 " + std::to_string(time.count()) + " 1\n");
  }
  FakeRoot root_;
};

TEST_F(CountedThread, WaitsInAFrameForWhatGrewLessTheTimeThatItWasAwakeElsewhere) {
  RunDelays delays(7, 0ns, root_.path());
  EXPECT_EQ(delays.least_in(0ns), std::nullopt) << "nothing was read";
  waited(1ms);
  delays.look();
  delays.add_awake(100us);  // two frames in time
  delays.add_awake(100us);
  waited(5ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 4ms - 200us);
  EXPECT_EQ(delays.least_in(50us), 4ms - 250us) << "the frame has other parts";
  EXPECT_EQ(delays.least_in(5ms), 0ns) << "all of it may have been there";
}

TEST_F(CountedThread, OfSeveralLooksTheOneThatLeavesMostCounts) {
  RunDelays delays(7, 0ns, root_.path());
  delays.look();
  delays.add_awake(2ms);
  waited(1ms);
  delays.look();  // right before the late frame
  waited(4ms);
  delays.look();  // in the middle of it
  waited(5ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 4ms);
}

TEST_F(CountedThread, AfterALateFrameNoLookIsNeeded) {
  RunDelays delays(7, 0ns, root_.path());
  delays.look();
  waited(3ms);
  delays.read();
  delays.add_awake(3ms);
  for (int i = 0; i < 1000; ++i) delays.add_awake(1us);
  waited(3ms + 2ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 1ms) << "what the late frame before took is not elsewhere";
}

TEST_F(CountedThread, ThatSpinsBeforeItsSlotMayHaveWaitedThere) {
  RunDelays delays(7, 20us, root_.path());
  delays.look();
  for (int i = 0; i < 10; ++i) delays.add_awake(0us);
  waited(1ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 800us);
}

TEST_F(CountedThread, WhatItDidBesideFramesIsForgotten) {
  RunDelays delays(7, 0ns, root_.path());
  delays.look();
  delays.forget();
  waited(9ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 0ns);
}

TEST_F(CountedThread, IsNotJudgedWhereTheLimitOfAControlGroupStoppedIt) {
  root_.write("/proc/self/cgroup", "0::/a/b\n");
  root_.write("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  root_.write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root_.write("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 7\n");
  RunDelays delays(7, 0ns, root_.path());
  delays.look();
  waited(4ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 4ms) << "there is a limit, and it stopped nothing";
  delays.add_awake(4ms);
  root_.write("/sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\nthrottled_usec 7\n");
  waited(9ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), std::nullopt) << "it may have been that";
  delays.look();
  delays.add_awake(1ms);
  waited(12ms);
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), 3ms) << "nothing stopped it since the late frame before";
}

TEST_F(CountedThread, OfAKernelThatSaysNothingIsNotKnown) {
  RunDelays delays(8, 0ns, root_.path());
  delays.look();
  delays.read();
  EXPECT_EQ(delays.least_in(0ns), std::nullopt);
}

}  // namespace
}  // namespace tactus::rtsync::run_delays_test
