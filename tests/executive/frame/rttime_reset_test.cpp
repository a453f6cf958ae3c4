// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/rttime_reset.hpp"

#include <gtest/gtest.h>

namespace tactus::executive::rttime_reset_test {
namespace {

using namespace std::chrono_literals;
using rtsync::MonotonicTime;
using rtsync::TimePoint;

constexpr TimePoint<MonotonicTime> kStart{std::chrono::hours(5)};

TEST(RttimeReset, IsDueOnceAThreadHasNotSleptForASecond) {
  RttimeReset reset;
  EXPECT_FALSE(reset.is_due(kStart, false)) << "it has only begun";
  EXPECT_FALSE(reset.is_due(kStart + 1s, false));
  EXPECT_TRUE(reset.is_due(kStart + 1s + 1ns, false));
  EXPECT_FALSE(reset.is_due(kStart + 2s + 1ns, false)) << "it has slept a second ago";
  EXPECT_TRUE(reset.is_due(kStart + 2s + 2ns, false));
}

TEST(RttimeReset, IsNotDueWhileFramesSleep) {
  RttimeReset reset;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(reset.is_due(kStart + i * 700ms, true)) << i;
  EXPECT_FALSE(reset.is_due(kStart + 7300ms, false)) << "the last frame that slept was at 6.3 s";
  EXPECT_TRUE(reset.is_due(kStart + 7301ms, false));
}

TEST(RttimeReset, AFrameThatSleepsLateIsEnough) {
  RttimeReset reset;
  EXPECT_FALSE(reset.is_due(kStart, false));
  EXPECT_FALSE(reset.is_due(kStart + 5s, true));
  EXPECT_FALSE(reset.is_due(kStart + 6s, false));
}

}  // namespace
}  // namespace tactus::executive::rttime_reset_test
