// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/overrun_policy.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::overrun_policy_test {
namespace {

constexpr TimePoint<RigTime> kEpoch{Nanoseconds{50'000'000'000}};
constexpr Period kMillisecond{1'000'000, 1};

OverrunPolicy policy_of(OnOverrun on_overrun, std::optional<std::int64_t> max_catch_up = {}) {
  OverrunPolicy policy;
  policy.on_overrun = on_overrun;
  policy.max_catch_up = max_catch_up;
  return policy;
}

TEST(OverrunPolicy, IsTricksByDefault) {
  const OverrunPolicy policy;
  EXPECT_EQ(policy.on_overrun, OnOverrun::catch_up);
  EXPECT_FALSE(policy.max_catch_up.has_value());
  EXPECT_EQ(policy.max_consecutive_overruns, 100'000'000);
  EXPECT_EQ(policy.max_overrun, Nanoseconds::max()) << "for ever";
  EXPECT_EQ(policy.at_maximum, AtMaximum::terminate);
  EXPECT_EQ(policy.grace, 0);
  EXPECT_EQ(policy.recovery_frames, 0);
}

TEST(AfterOverrun, MovesTheGridAsThePolicySays) {
  using enum OnOverrun;
  const FrameClock grid{kEpoch, kMillisecond};
  const struct {
    OverrunPolicy policy;
    std::int64_t slot, done_us;
    std::int64_t lost;
    bool reanchor;
    const char* why;
  } rows[] = {
      {policy_of(catch_up), 1, 1'001, 0, false, "catching up loses nothing"},
      {policy_of(catch_up), 1, 900'000, 0, false, "however long the stall was"},
      {policy_of(catch_up, 3), 1, 1'001, 0, false, "one behind, three allowed"},
      {policy_of(catch_up, 3), 1, 3'999, 0, false, "three behind, three allowed"},
      {policy_of(catch_up, 3), 1, 4'000, 0, false, "exactly on slot 4: three behind, and slot 4 can be met"},
      {policy_of(catch_up, 3), 1, 4'001, 1, false, "four behind: one is lost"},
      {policy_of(catch_up, 3), 1, 50'500, 47, false, "fifty behind: 47 are lost, three are run"},
      {policy_of(catch_up, 0), 1, 3'700, 3, false, "catching up by nothing is skipping"},
      {policy_of(skip), 1, 1'001, 1, false, "one microsecond too late costs one slot"},
      {policy_of(skip), 1, 2'000, 1, false, "exactly on slot 2: slot 2 is met"},
      {policy_of(skip), 1, 2'001, 2, false, "one microsecond more costs the next one too"},
      {policy_of(skip), 1, 3'700, 3, false, "a long stall costs slots, never phase"},
      {policy_of(skip), 7, 7'500, 1, false, "in the middle of a run it is the same"},
      {policy_of(reanchor), 1, 1'001, 0, true, "the next frame runs at once, instead of in slot 1"},
      {policy_of(reanchor), 1, 2'000, 0, true, "exactly on slot 2: still only slot 1 was late"},
      {policy_of(reanchor), 1, 3'700, 2, true, "three slots have gone by, one frame takes their place"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    const GridMove move = after_overrun(row.policy, grid, row.slot, kEpoch + Nanoseconds{row.done_us * 1000});
    EXPECT_EQ(move.lost, row.lost);
    EXPECT_EQ(move.reanchor, row.reanchor);
  }
}

TEST(AfterOverrun, SkipAlwaysLandsOnTheNextSlotOfTheGrid) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (const Period period : {kMillisecond, Period{1'000'000'000, 60}, Period{1'000'000, 3}}) {
    const FrameClock grid{kEpoch, period};
    for (int i = 0; i < 5000; ++i) {
      const auto slot = std::uniform_int_distribution<std::int64_t>{1, 1'000'000'000}(random);
      const auto late = std::uniform_int_distribution<std::int64_t>{1, 200'000'000}(random);
      const TimePoint<RigTime> done = grid.slot(slot) + Nanoseconds{late};
      const GridMove skip = after_overrun(policy_of(OnOverrun::skip), grid, slot, done);
      ASSERT_GE(skip.lost, 1);
      ASSERT_GE(grid.slot(slot + skip.lost), done) << "the next slot is not behind";
      ASSERT_LT(grid.slot(slot + skip.lost - 1), done) << "and it is the first that is not";
      const auto most = std::uniform_int_distribution<std::int64_t>{0, 30}(random);
      const GridMove bounded = after_overrun(policy_of(OnOverrun::catch_up, most), grid, slot, done);
      ASSERT_EQ(bounded.lost, std::max<std::int64_t>(0, skip.lost - most));
    }
  }
}

// What a run does to the budget: 'x' an overrun, '.' a good frame. The result: after how many frames the
// budget was full for the first time; 0: never.
std::size_t full_after(std::string_view run, std::int64_t maximum, std::int64_t recovery_frames) {
  OverrunPolicy policy;
  policy.max_consecutive_overruns = maximum;
  policy.recovery_frames = recovery_frames;
  OverrunBudget budget;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i] == '.') {
      budget.good(policy);
      continue;
    }
    budget.overrun(policy);
    if (budget.full(policy)) return i + 1;
  }
  return 0;
}

TEST(OverrunBudget, FillsAndDrains) {
  const struct {
    const char* run;
    std::int64_t maximum, recovery_frames;
    std::size_t full_after;
    const char* why;
  } rows[] = {
      {"x", 1, 0, 1, "at most one: the first is the maximum (>=)"},
      {"..x", 1, 0, 3, "good frames do not save up"},
      {"x", 0, 0, 1, "zero allowed: the first overrun is over it"},
      {"xx", 3, 0, 0, "two of three"},
      {"xxx", 3, 0, 3, "three of three"},
      {"xx.xx.xx", 3, 0, 0, "one good frame pays back all of them"},
      {"xx.xxx", 3, 0, 6, "but the count begins again"},
      {"xx.x", 3, 2, 4, "leak of two: one good frame pays back half an overrun"},
      {"xx..x", 3, 2, 0, "two good frames pay back one"},
      {"xx..xx", 3, 2, 6, "and only one"},
      {"x....x....x....x....", 2, 5, 6, "every fifth frame bad is more than a leak of five pays back"},
      {"x.....x.....x.....x.....", 2, 5, 0, "every sixth is not"},
      {"x...............x", 2, 5, 0, "what is paid back stays paid; no credit below zero"},
      {"...........xx", 2, 5, 13, "good frames before are no credit either"},
      {"x", 1, 10, 1, "the first overrun of a maximum of one, whatever the recovery_frames"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(full_after(row.run, row.maximum, row.recovery_frames), row.full_after);
  }
}

TEST(OverrunBudget, ClearForgets) {
  OverrunPolicy policy;
  policy.max_consecutive_overruns = 2;
  OverrunBudget budget;
  budget.overrun(policy);
  budget.clear();
  budget.overrun(policy);
  EXPECT_FALSE(budget.full(policy));
  budget.overrun(policy);
  EXPECT_TRUE(budget.full(policy));
}

TEST(OverrunBudget, SaysHowManyOverrunsAreNotPaidBack) {
  OverrunPolicy policy;
  OverrunBudget budget;
  EXPECT_EQ(budget.overruns(policy), 0);
  budget.overrun(policy);
  budget.overrun(policy);
  EXPECT_EQ(budget.overruns(policy), 2);
  budget.clear();
  policy.recovery_frames = 3;
  for (int i = 0; i < 2; ++i) budget.overrun(policy);
  budget.good(policy);
  EXPECT_EQ(budget.overruns(policy), 2) << "one is paid back in part";
  for (int i = 0; i < 2; ++i) budget.good(policy);
  EXPECT_EQ(budget.overruns(policy), 1);
}

TEST(OverrunBudget, TheGreatestMaximumIsNeverReachedByAccident) {
  OverrunPolicy policy;
  policy.max_consecutive_overruns = INT64_MAX;
  policy.recovery_frames = 1'000'000;  // maximum times recovery_frames is beyond 64 bits
  OverrunBudget budget;
  budget.overrun(policy);
  EXPECT_FALSE(budget.full(policy));
}

TEST(OverrunPolicyRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const FrameClock grid{kEpoch, kMillisecond};
  const OverrunPolicy policy = policy_of(OnOverrun::skip);
  OverrunBudget budget;
  const HeapWatch heap;
  std::int64_t lost = 0;
  for (std::int64_t i = 1; i < 1000; ++i) {
    lost += after_overrun(policy, grid, i, grid.slot(i) + Nanoseconds{i * 3001}).lost;
    budget.overrun(policy);
    if (budget.full(policy)) budget.clear();
    budget.good(policy);
  }
  EXPECT_EQ(heap.calls(), 0U);
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace tactus::rtsync::overrun_policy_test
