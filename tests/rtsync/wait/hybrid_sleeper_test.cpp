// SPDX-License-Identifier: Apache-2.0
/// When a hybrid sleeper asks the kernel to wake it: on a clock that stands at the time at which each sleep ends.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

#include "rtsync/wait/sleeper.hpp"

namespace tactus::rtsync::hybrid_sleeper_test {
namespace {

using namespace std::chrono_literals;
constexpr Period kMillisecond{1'000'000, 1};

/// Each sleep ends `late` after what it was asked for, and each reading takes 1 us.
class SleepingClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override { return now_ += 1us; }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    asked.push_back(t.time_since_epoch());
    now_ = t + late;
    return TimePoint<MonotonicTime>{1ns};  // long past: the kernel lets it go on at once
  }
  const char* name() const TACTUS_RT override { return "sleeping"; }

  Nanoseconds late{0};
  std::vector<Nanoseconds> asked;

 private:
  TimePoint<RigTime> now_{};
};

struct Wait {
  std::vector<Nanoseconds> asked;
  WaitStatus status;
  Nanoseconds wake, margin;
};

/// Waits for the slot at 1 ms, with what 95 of 100 sleeps were late at most, in one piece and in two.
Wait wait_once(Nanoseconds in_one, Nanoseconds in_two, Nanoseconds late = 5us) {
  SleepingClock clock;
  HybridSleeper sleeper{clock, std::nullopt};
  sleeper.choose(in_one, in_two, kMillisecond);
  clock.late = late;
  const WaitResult done = sleeper.wait_until(TimePoint<RigTime>{1ms});
  return {clock.asked, done.status, done.wake.time_since_epoch(), sleeper.margin()};
}

TEST(HybridSleeper, SleepsInTwoWhereThatIsMorePunctual) {
  const struct {
    Nanoseconds in_one, in_two;
    std::vector<Nanoseconds> asked;
    const char* why;
  } rows[] = {
      {60us, 20us, {850us, 950us}, "the last 100 us apart, and 2.5 times 20 us of margin"},
      {60us, 44us, {790us, 890us}, "more than a quarter less"},
      {60us, 45us, {850us}, "a quarter less is no gain: 2.5 times 60 us"},
      {60us, 60us, {850us}, "no gain"},
      {20us, 2us, {950us}, "one sleep is punctual enough"},
      {5us, 2us, {980us}, "the least margin"},
  };
  for (const auto& row : rows) {
    const Wait wait = wait_once(row.in_one, row.in_two);
    EXPECT_EQ(wait.asked, row.asked) << row.why;
    EXPECT_EQ(wait.status, WaitStatus::reached) << row.why;
    EXPECT_GE(wait.wake, 1ms) << row.why;
    EXPECT_LT(wait.wake, 1002us) << row.why;
  }
}

TEST(HybridSleeper, LeavesTheSecondSleepOutWhenTheFirstEndsTooLate) {
  const Wait wait = wait_once(60us, 20us, 130us);
  EXPECT_EQ(wait.asked, std::vector<Nanoseconds>{850us});
  EXPECT_LT(wait.wake, 1002us) << "still before the slot";
  EXPECT_LT(wait.margin, 50us) << "the margin was long enough";
}

TEST(HybridSleeper, HasALongerMarginAfterASleepThatEndsPastTheSlot) {
  for (const Nanoseconds in_two : {20us, 60us}) {
    const Wait wait = wait_once(60us, in_two, 240us);
    EXPECT_GE(wait.wake, 1010us);
    EXPECT_GT(wait.margin, in_two * 5 / 2) << "in two sleeps, and in one";
  }
}

TEST(HybridSleeper, WithAMarginThatIsSetSleepsOnce) {
  SleepingClock clock;
  HybridSleeper sleeper{clock, Nanoseconds{70us}};
  sleeper.prepare(kMillisecond);
  (void)sleeper.wait_until(TimePoint<RigTime>{1ms});
  EXPECT_EQ(clock.asked, std::vector<Nanoseconds>{930us});
  EXPECT_EQ(sleeper.remark(), "margin 70 us, as set");
}

TEST(HybridSleeper, SaysThatItSleepsInTwo) {
  SleepingClock clock;
  HybridSleeper sleeper{clock, std::nullopt};
  sleeper.choose(60us, 20us, kMillisecond);
  EXPECT_EQ(sleeper.remark(), "margin 50 us, measured, in two sleeps");
  sleeper.choose(60us, 60us, kMillisecond);
  EXPECT_EQ(sleeper.remark(), "margin 150 us, measured");
}

}  // namespace
}  // namespace tactus::rtsync::hybrid_sleeper_test
