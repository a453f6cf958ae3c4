// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/sign_of_life.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::rtsync {
namespace {

using namespace std::chrono_literals;

TEST(SignOfLife, ComesAsOftenAsWantedWhereItTakesATwentiethAtMost) {
  EXPECT_EQ(affordable_signs(100us, 0ns), 100us);
  EXPECT_EQ(affordable_signs(100us, 1us), 100us);
  EXPECT_EQ(affordable_signs(100us, 5us), 100us);
}

TEST(SignOfLife, ComesMoreSeldomOnASlowProcessor) {
  EXPECT_EQ(affordable_signs(100us, 5001ns), 100020ns);
  EXPECT_EQ(affordable_signs(1ms, 300us), 6ms);
  EXPECT_EQ(affordable_signs(1ms, 1ms), 20ms);
}

TEST(SignOfLife, NeverComesWhereItWouldTellNothing) {
  EXPECT_EQ(affordable_signs(1ms, 1001us), 0ns);
  EXPECT_EQ(affordable_signs(100us, 1339538ns), 0ns);
  EXPECT_EQ(affordable_signs(50ms, 1ms), 50ms) << "as seldom as was wanted";
}

TEST(SignOfLife, ItsCostIsThatOfAnInterruptAndNotOfItsInterval) {
  const Nanoseconds cost = sign_of_life_cost();
  if (cost == 0ns) GTEST_SKIP() << "the kernel gives no signs of life here";
  EXPECT_GE(cost, 100ns);
  EXPECT_LT(cost, 20ms) << "a machine that stops is not in the least of four";
}

}  // namespace
}  // namespace tactus::rtsync
