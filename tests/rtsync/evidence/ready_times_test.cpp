// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/ready_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::ready_times_test {
namespace {

using namespace std::chrono_literals;

/// Two threads whose counts the test writes: 7 and 8.
class ReadyThreads : public ::testing::Test {
 protected:
  ReadyThreads() {
    waited(7, 5ms);
    waited(8, 0ms);
  }
  void waited(int thread, Nanoseconds time) {
    root_.write("/proc/" + std::to_string(thread) + "/schedstat",
                "1000 " + std::to_string(time.count()) + " 1\n");
  }
  FakeRoot root_;
};

TEST_F(ReadyThreads, WaitedForAtMostWhatGrewSinceTheLastLookBeforeTheFrame) {
  ReadyTimes times({7, 8}, root_.path());
  times.look();
  times.end_frame();
  waited(7, 8ms);
  EXPECT_EQ(times.most(0), 3ms);
  EXPECT_EQ(times.most(1), 0ms);
}

TEST_F(ReadyThreads, ALookInTheFrameHidesNothingOfIt) {
  ReadyTimes times({7}, root_.path());
  times.look();
  times.end_frame();
  waited(7, 6ms);
  times.look();
  waited(7, 9ms);
  EXPECT_EQ(times.most(0), 4ms);
  EXPECT_EQ(times.most(0), 4ms) << "it may be asked again";
  times.end_frame();
  EXPECT_EQ(times.most(0), 0ms) << "of the next frame";
}

TEST_F(ReadyThreads, WithoutALookItIsAllSinceTheLateFrameBefore) {
  ReadyTimes times({7}, root_.path());
  EXPECT_EQ(times.most(0), 5ms) << "perhaps";
  times.end_frame();
  waited(7, 6ms);
  times.end_frame();
  EXPECT_EQ(times.most(0), 1ms);
}

TEST_F(ReadyThreads, AreNotKnownWhereTheKernelCountsNothing) {
  root_.write("/proc/8/schedstat", "0 0 0\n");
  ReadyTimes times({7, 8, 9}, root_.path());
  times.look();
  times.end_frame();
  EXPECT_EQ(times.most(1), std::nullopt);
  EXPECT_EQ(times.most(2), std::nullopt) << "there is no such thread";
  EXPECT_EQ(times.most(3), std::nullopt) << "nor is it watched";
}

}  // namespace
}  // namespace tactus::rtsync::ready_times_test
