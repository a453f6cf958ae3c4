// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/response_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace tactus::executive::response_times_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;

PeriodicTask task(int priority, Nanoseconds takes, Nanoseconds period) {
  return {"", priority, takes, period, period};
}

TEST(ResponseTimes, AreThoseOfTheTextbook) {
  // A. Burns, A. Wellings: Real-Time Systems and Programming Languages, the examples of response time
  // analysis.
  const struct {
    std::vector<PeriodicTask> tasks;
    std::vector<Nanoseconds> times;
  } rows[] = {
      {{task(3, 3ms, 7ms), task(2, 3ms, 12ms), task(1, 5ms, 20ms)}, {3ms, 6ms, 20ms}},
      {{task(1, 40ms, 80ms), task(2, 10ms, 40ms), task(3, 5ms, 20ms)}, {80ms, 15ms, 5ms}},
  };
  for (const auto& row : rows) {
    const auto found = response_times(row.tasks);
    ASSERT_EQ(found.size(), row.times.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(found[i].in_time) << i;
      EXPECT_EQ(found[i].time, row.times[i]) << i;
    }
  }
}

TEST(ResponseTimes, WhatEndsBeyondItsDeadlineIsSaidToBeLate) {
  const std::vector<PeriodicTask> tasks{task(1, 12ms, 50ms), task(2, 10ms, 40ms), task(3, 10ms, 30ms)};
  const auto found = response_times(tasks);
  EXPECT_EQ(found[2].time, 10ms);
  EXPECT_EQ(found[1].time, 20ms);
  EXPECT_TRUE(found[1].in_time);
  EXPECT_FALSE(found[0].in_time) << "82 % of the CPU, and yet";
  EXPECT_EQ(found[0].time, 52ms);
}

TEST(ResponseTimes, OneThatIsLongerThanItsDeadlineIsLateByItself) {
  const auto found = response_times(std::vector{task(1, 3ms, 2ms)});
  EXPECT_FALSE(found[0].in_time);
  EXPECT_EQ(found[0].time, 3ms);
}

TEST(ResponseTimes, OfEqualPrioritiesEitherMayComeFirst) {
  const auto found = response_times(std::vector{task(80, 1ms, 10ms), task(80, 2ms, 10ms)});
  EXPECT_EQ(found[0].time, 3ms);
  EXPECT_EQ(found[1].time, 3ms);
}

TEST(ResponseTimes, ATaskThatTakesNothingDisturbsNobody) {
  const auto found = response_times(std::vector{task(80, 0ms, 1ms), task(70, 2ms, 10ms)});
  EXPECT_EQ(found[0].time, 0ms);
  EXPECT_EQ(found[1].time, 2ms);
}

/// All are released at 0, and each step of time belongs to the highest that has work: the first response is
/// the longest (C. Liu, J. Layland 1973).
std::vector<std::int64_t> simulated(const std::vector<PeriodicTask>& tasks) {
  std::vector<std::int64_t> left;
  std::vector<std::int64_t> ended(tasks.size(), -1);
  for (const PeriodicTask& each : tasks) left.push_back(each.takes.count());
  for (std::int64_t now = 0; now < 500; ++now) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (now > 0 && now % tasks[i].period.count() == 0) left[i] += tasks[i].takes.count();
    std::size_t runs = tasks.size();
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (left[i] > 0 && (runs == tasks.size() || tasks[i].priority > tasks[runs].priority)) runs = i;
    if (runs == tasks.size()) continue;
    // The first job is done when as much was done as one job takes: those behind it come later.
    --left[runs];
    const std::int64_t released = (now / tasks[runs].period.count() + 1) * tasks[runs].takes.count();
    if (ended[runs] < 0 && released - left[runs] == tasks[runs].takes.count()) ended[runs] = now + 1;
  }
  return ended;
}

TEST(ResponseTimes, OfRandomTasksAreThoseOfASimulation) {
  std::mt19937 random(4711);
  int in_time = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<PeriodicTask> tasks;
    const int count = std::uniform_int_distribution<int>(1, 5)(random);
    for (int i = 0; i < count; ++i) {
      const int period = std::uniform_int_distribution<int>(4, 60)(random);
      const int takes = std::uniform_int_distribution<int>(1, std::max(1, period / count))(random);
      tasks.push_back(task(i + 1, Nanoseconds{takes}, Nanoseconds{period}));
    }
    std::shuffle(tasks.begin(), tasks.end(), random);
    const auto found = response_times(tasks);
    const auto expected = simulated(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const bool ends = expected[i] >= 0 && expected[i] <= tasks[i].deadline.count();
      EXPECT_EQ(found[i].in_time, ends) << "round " << round << " task " << i;
      if (ends && found[i].in_time) {
        EXPECT_EQ(found[i].time.count(), expected[i]) << round;
      }
      in_time += ends ? 1 : 0;
    }
  }
  EXPECT_GT(in_time, 500) << "else there is nothing to compare";
}

}  // namespace
}  // namespace tactus::executive::response_times_test
