// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/wake_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "rtsync/clock/clock.hpp"
#include "tests/rtsync/support/all_granted.hpp"

namespace tactus::rtsync::wake_trial_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

// How late a wake is depends on the machine; nothing here does.

TrialSettings short_trial(SleeperKind sleeper) {
  TrialSettings settings;
  settings.cpu = allowed_cpus().last();
  settings.sleeper = sleeper;
  settings.duration = 40ms;
  if (sleeper == SleeperKind::hybrid) settings.margin = 100us;
  return settings;
}

class WakeTrialOf : public testing::TestWithParam<SleeperKind> {};
INSTANTIATE_TEST_SUITE_P(, WakeTrialOf,
                         testing::Values(SleeperKind::nanosleep, SleeperKind::timerfd, SleeperKind::spin,
                                         SleeperKind::hybrid),
                         [](const auto& kind) {
                           MonotonicClock clock;
                           return std::string{make_sleeper(kind.param, clock, std::nullopt)->name()};
                         });

TEST_P(WakeTrialOf, AccountsForEverySlot) {
  const WakeTrial trial = run_wake_trial(short_trial(GetParam()));
  EXPECT_TRUE(trial.complete);
  EXPECT_GE(trial.count, 1U);
  EXPECT_GE(trial.count + trial.missed, 39U) << trial.count << " waited for";
  EXPECT_LE(trial.count, 40U);
  EXPECT_LE(trial.p50, trial.p99);
  EXPECT_LE(trial.p99, trial.p99_9);
  EXPECT_LE(trial.p99_9, trial.max);
  EXPECT_GE(trial.p50, 0ns);
}

TEST_P(WakeTrialOf, SaysWhichSchedulingItHad) {
  const WakeTrial trial = run_wake_trial(short_trial(GetParam()));
  const auto fifo = std::find_if(trial.provisions.begin(), trial.provisions.end(),
                                 [](const Provision& p) { return p.what == "SCHED_FIFO priority 80"; });
  ASSERT_NE(fifo, trial.provisions.end());
  EXPECT_EQ(trial.scheduling, fifo->granted ? "SCHED_FIFO 80" : "SCHED_OTHER") << sentence(*fifo);
}

TEST(WakeTrial, SpinningRestsMoreThanHalfOfTheTime) {
  TrialSettings settings = short_trial(SleeperKind::spin);
  settings.duration = 900ms;
  const WakeTrial trial = run_wake_trial(settings);
  // It spins for 100 ms of every 225 ms. A machine that stands still for long makes the count smaller, never larger.
  EXPECT_LT(trial.count, 600U) << "the slots of the rests are nobody's";
  EXPECT_TRUE(trial.complete);
}

TEST(WakeTrial, EndsWhenItIsToldTo) {
  TrialSettings settings = short_trial(SleeperKind::nanosleep);
  settings.duration = kLongestTrial;
  std::atomic<bool> stop{false};
  std::thread impatient([&] {
    std::this_thread::sleep_for(20ms);
    stop = true;
  });
  const WakeTrial trial = run_wake_trial(settings, &stop);
  impatient.join();
  EXPECT_FALSE(trial.complete);
  EXPECT_LT(trial.count, 30'000U) << "of 60'000 slots";
}

TEST(WakeTrial, StoppedBeforeItBeginsMeasuresNothing) {
  const std::atomic<bool> stop{true};
  const WakeTrial trial = run_wake_trial(short_trial(SleeperKind::spin), &stop);
  EXPECT_EQ(trial.count, 0U);
  EXPECT_FALSE(trial.complete);
  EXPECT_FALSE(propose_margin(trial, {1'000'000, 1}));
}

TEST(WakeTrial, OnACpuThatIsNotThereIsRefusedAndStillMeasures) {
  TrialSettings settings = short_trial(SleeperKind::nanosleep);
  settings.cpu = 4000;
  const WakeTrial trial = run_wake_trial(settings);
  EXPECT_FALSE(all_granted(trial.provisions));
  EXPECT_GE(trial.count, 1U);
}

TEST(WakeTrial, KnowsItsLimits) {
  TrialSettings settings = short_trial(SleeperKind::nanosleep);
  for (const Nanoseconds duration : {Nanoseconds{0}, Nanoseconds{-1}, kLongestTrial + 1ns}) {
    settings.duration = duration;
    EXPECT_THROW((void)run_wake_trial(settings), std::invalid_argument) << duration.count();
  }
  settings.duration = 10ms;
  for (const Nanoseconds period : {Nanoseconds{0}, Nanoseconds{49'999}, Nanoseconds{50'000'001}}) {
    settings.period = period;
    EXPECT_THROW((void)run_wake_trial(settings), std::invalid_argument) << period.count();
  }
}

TEST(ProposedMargin, FollowsFromTheTrialInWholeMicroseconds) {
  struct Row {
    Nanoseconds p99;
    Nanoseconds period;
    Nanoseconds margin;
    const char* why;
  };
  const Row rows[] = {
      {41'337ns, 1ms, 62us, "one and a half times the 99th percentile"},
      {2us, 1ms, 20us, "never less than 20 us"},
      {900us, 1ms, 250us, "never more than a quarter of the frame"},
      {1us, 3us, 750ns, "less than a microsecond stays what it is"},
  };
  for (const Row& row : rows) {
    WakeTrial trial;
    trial.count = 1000;
    trial.p99 = row.p99;
    EXPECT_EQ(propose_margin(trial, Period{row.period}), row.margin) << row.why;
  }
}

}  // namespace
}  // namespace tactus::rtsync::wake_trial_test
