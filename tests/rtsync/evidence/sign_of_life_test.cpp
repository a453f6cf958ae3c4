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

TEST(SignOfLife, StaysBetweenTheSlotsOnlyIfItFitsTheFrame) {
  EXPECT_EQ(fitted_signs(250us, 1ms), 250us);
  EXPECT_EQ(fitted_signs(300us, 1ms), Nanoseconds{1'000'000} / 3);
  EXPECT_EQ(fitted_signs(400us, 1ms), 500us);
  EXPECT_EQ(fitted_signs(1ms, 1ms), 1ms);
  EXPECT_EQ(fitted_signs(1100us, 1ms), 2ms) << "every other frame";
  EXPECT_EQ(fitted_signs(0ns, 1ms), 0ns) << "none stays none";
  EXPECT_EQ(fitted_signs_within(250us, 1ms), 250us);
  EXPECT_EQ(fitted_signs_within(300us, 1ms), 250us);
  EXPECT_EQ(fitted_signs_within(1ms, 1ms), 1ms);
  EXPECT_EQ(fitted_signs_within(2900us, 1ms), 2ms);
  EXPECT_EQ(fitted_signs_within(0ns, 1ms), 0ns);
}

TEST(SignOfLife, IsAsFarFromTheMiddleAsItIs) {
  const TimePoint<MonotonicTime> slot{10s};
  EXPECT_EQ(off_middle(slot + 250us, slot, 500us), 0us);
  EXPECT_EQ(off_middle(slot + 7 * 500us + 250us, slot, 500us), 0us);
  EXPECT_EQ(off_middle(slot + 300us, slot, 500us), 50us);
  EXPECT_EQ(off_middle(slot - 300us, slot, 500us), -50us);
  EXPECT_EQ(off_middle(slot, slot, 500us), -250us) << "on the slot: the worst there is";
  EXPECT_EQ(off_middle(slot - 1ns, slot, 500us), 250us - 1ns);
}

TEST(SignOfLife, ItsCostIsThatOfAnInterruptAndNotOfItsInterval) {
  const Nanoseconds cost = sign_of_life_cost();
  if (cost == 0ns) GTEST_SKIP() << "the kernel gives no signs of life here";
  EXPECT_GE(cost, 100ns);
  EXPECT_LT(cost, 20ms) << "a machine that stops is not in the least of four";
}

TEST(SignRate, BecomesBetterWithACalmerMachine) {
  SignRate rate(250us, 1ms, 20us);
  EXPECT_EQ(rate.interval(), 500us);
  EXPECT_TRUE(rate.is_poor());
  EXPECT_FALSE(rate.improve(30us)) << "it is busy still";
  EXPECT_FALSE(rate.improve(0ns)) << "there were none";
  EXPECT_EQ(rate.cost(), 20us);
  EXPECT_TRUE(rate.improve(14us));
  EXPECT_EQ(rate.interval(), 1'000'000ns / 3);
  EXPECT_TRUE(rate.is_poor());
  EXPECT_FALSE(rate.improve(13'500ns)) << "not by enough";
  EXPECT_TRUE(rate.improve(3us));
  EXPECT_EQ(rate.interval(), 250us);
  EXPECT_FALSE(rate.is_poor());
}

TEST(SignRate, MayComeToHaveSome) {
  SignRate rate(250us, 1ms, 2ms);
  EXPECT_EQ(rate.interval(), 0ns);
  EXPECT_TRUE(rate.is_poor());
  EXPECT_TRUE(rate.improve(10us));
  EXPECT_EQ(rate.interval(), 250us);
}

}  // namespace
}  // namespace tactus::rtsync
