// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/step_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tactus::executive::step_window_test {
namespace {

EscalationStep step_after(std::int64_t events) { return {.after = events}; }

TEST(StepWindow, IsTakenWithTheLastEventOfThose) {
  StepWindow window(step_after(3), 10);
  EXPECT_FALSE(window.add(0, 1));
  EXPECT_FALSE(window.add(5, 1));
  EXPECT_TRUE(window.add(9, 1)) << "frames 0 to 9 are ten";
}

TEST(StepWindow, AnEventLeavesItWhenItsTimeHasPassed) {
  StepWindow window(step_after(3), 10);
  EXPECT_FALSE(window.add(0, 1));
  EXPECT_FALSE(window.add(5, 1));
  EXPECT_FALSE(window.add(10, 1)) << "that of frame 0 is past";
  EXPECT_TRUE(window.add(14, 1));
}

TEST(StepWindow, BeginsAnewWhenTheStepWasTaken) {
  StepWindow window(step_after(2), 100);
  EXPECT_FALSE(window.add(0, 1));
  EXPECT_TRUE(window.add(1, 1));
  EXPECT_FALSE(window.add(2, 1));
  EXPECT_TRUE(window.add(3, 1));
}

TEST(StepWindow, ManyEventsOfAFrameCountAsManyButTakeItOnce) {
  StepWindow window(step_after(3), 10);
  EXPECT_FALSE(window.add(0, 2));
  EXPECT_TRUE(window.add(1, 1000));
  EXPECT_FALSE(window.add(1, 2));
  EXPECT_FALSE(window.add(2, 0));
}

TEST(StepWindow, DoesWhatCountingAllEventsWouldDo) {
  std::mt19937_64 random(18);
  for (int round = 0; round < 2000; ++round) {
    const auto after = static_cast<std::int64_t>(1 + random() % 8);
    const auto frames = static_cast<std::int64_t>(1 + random() % 30);
    StepWindow window(step_after(after), frames);
    std::vector<std::int64_t> all;
    std::int64_t k = 0;
    for (int i = 0; i < 60; ++i) {
      k += static_cast<std::int64_t>(random() % 9);
      const auto events = static_cast<std::int64_t>(random() % 3);
      for (std::int64_t e = 0; e < events; ++e) all.push_back(k);
      const bool taken = events > 0 && std::count_if(all.begin(), all.end(),
                                                     [&](auto event) { return k - event < frames; }) >= after;
      ASSERT_EQ(window.add(k, events), taken) << "after " << after << " in " << frames << " at " << k;
      if (taken) all.clear();
    }
  }
}

}  // namespace
}  // namespace tactus::executive::step_window_test
