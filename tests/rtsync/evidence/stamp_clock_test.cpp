// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/stamp_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::stamp_clock_test {
namespace {

using namespace std::chrono_literals;

TEST(StampClock, IsBehindByTheOffsetOfTheTimeNamespace) {
  FakeRoot root;
  EXPECT_EQ(clock_shift(root.path()), 0ns) << "an older kernel";
  root.write("/proc/self/timens_offsets",
             "monotonic           1       500\nboottime            7         0\n");
  EXPECT_EQ(clock_shift(root.path()), 1s + 500ns);
  root.write("/proc/self/timens_offsets", "monotonic  -3  250\nboottime  7  0\n");
  EXPECT_EQ(clock_shift(root.path()), -3s + 250ns);
}

TEST(StampClock, IsThatOfThisProcess) {
  const auto age = stamp_age();
  if (!age) GTEST_SKIP() << "the kernel gives no records";
  EXPECT_GE(*age, 0ns);
  EXPECT_LT(*age, 10s);
}

}  // namespace
}  // namespace tactus::rtsync::stamp_clock_test
