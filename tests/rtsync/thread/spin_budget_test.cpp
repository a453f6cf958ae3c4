// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/spin_budget.hpp"

#include <gtest/gtest.h>

namespace tactus::rtsync::spin_budget_test {
namespace {

using namespace std::chrono_literals;

TEST(SpinBudget, IsWholeWhileSpinningPays) {
  SpinBudget budget(20us);
  for (int wait = 0; wait < 1000; ++wait) {
    EXPECT_EQ(budget.take(), 20us);
    budget.learn(true);
  }
}

TEST(SpinBudget, IsSoonNothingWhereSpinningLeadsToNothing) {
  SpinBudget budget(20us);
  Nanoseconds spun{0};
  for (int wait = 1; wait < 128; ++wait) {
    const Nanoseconds time = budget.take();
    spun += time;
    if (time > 0ns) budget.learn(false);
  }
  EXPECT_EQ(spun, 20us + 10us + 5us + 2500ns + 1250ns);
}

TEST(SpinBudget, IsTriedNowAndThenAndWholeAgainWhenThatPays) {
  SpinBudget budget(20us);
  int tries = 0;
  for (int wait = 0; wait < 128 * 50; ++wait) {
    const Nanoseconds time = budget.take();
    if (time == 0ns) continue;
    ++tries;
    budget.learn(false);
  }
  EXPECT_EQ(tries, 5 + 50) << "five to learn, and one of each 128";
  for (int wait = 0; wait < 128; ++wait)
    if (budget.take() > 0ns) budget.learn(true);
  EXPECT_EQ(budget.take(), 20us);
}

}  // namespace
}  // namespace tactus::rtsync::spin_budget_test
