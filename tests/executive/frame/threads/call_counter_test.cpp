// SPDX-License-Identifier: Apache-2.0
// The times of jobs are the same whoever counts them, the frames or a helper beside them, and however late it comes.
#include "executive/frame/call_counter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::call_counter_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using test::PlanFixture;

constexpr std::int64_t kFrames = 2'000;
constexpr std::int64_t kOwn = 256;  // the frames count the first ones themselves

/// A lane whose jobs take other times in each frame, by a clock that they move themselves.
class Bench {
 public:
  explicit Bench(std::uint32_t jobs, std::optional<Nanoseconds> budget = std::nullopt)
      : times(jobs), jobs_(jobs) {
    plan_.jobs.resize(jobs);
    plan_.jobs[0].budget = budget;
    budgets.emplace(plan_, clock_);
    lane_.emplace(clock_, times, *budgets, 0, jobs);
    for (std::uint32_t i = 0; i < jobs; ++i) {
      jobs_[i] = {this, i};
      entries_.push_back({&Job::run, &jobs_[i], nullptr, i});
    }
  }
  CallCounter& count_aside() { return counter_.emplace(clock_, times, std::vector<Lane*>{&*lane_}); }
  template <class Behind>
  void run(std::int64_t frames, Behind behind) {
    for (frame_ = 0; frame_ < frames; ++frame_) {
      lane_->begin_frame(frame_);
      ASSERT_TRUE(lane_->run_list(entries_));
      lane_->count();
      lane_->judge_frame();
      now_ += 12'345;
      behind(frame_);
    }
  }
  void run(std::int64_t frames = kFrames) {
    run(frames, [](std::int64_t) {});
  }
  static std::int64_t time_of(std::uint32_t job, std::int64_t frame) {
    return 100 * (job + 1) + frame * 7 % 1000;
  }
  /// Every bucket of every job, and what is exact.
  std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>> all() const {
    std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>> all;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      const rtsync::JobHistogram job = times.of(i);
      job.each(
          [&](std::int64_t from, std::int64_t, std::uint64_t count) { all.emplace_back(i, from, count); });
      for (const Nanoseconds time : {job.min(), job.max(), job.quantile(0.5), job.quantile(0.99)})
        all.emplace_back(i, time.count(), job.count());
    }
    return all;
  }

 private:
  struct Job {
    Bench* bench = nullptr;
    std::uint32_t index = 0;
    static int run(void* self, const tactus_call*) {
      const auto* const job = static_cast<const Job*>(self);
      job->bench->now_ += time_of(job->index, job->bench->frame_);
      return 0;
    }
  };

  Plan plan_;
  std::int64_t now_ = 1'000;
  std::int64_t frame_ = 0;
  JobClock clock_{false, [this] { return now_; }};

 public:
  JobTimes times;
  std::optional<JobBudgets> budgets;

 private:
  std::vector<Job> jobs_;
  Entries entries_;
  std::optional<Lane> lane_;
  std::optional<CallCounter> counter_;
};

std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint64_t>> counted_in_frames(std::uint32_t jobs) {
  Bench bench(jobs);
  bench.run();
  EXPECT_EQ(bench.times.of(0).count(), static_cast<std::uint64_t>(kFrames));
  EXPECT_EQ(bench.times.of(0).min(), 100ns);
  return bench.all();
}

TEST(CallCounter, CountsWhatTheFramesWouldHaveCounted) {
  Bench bench(5);
  CallCounter& counter = bench.count_aside();
  bench.run(kFrames, [&](std::int64_t) { (void)counter.count(); });
  EXPECT_FALSE(counter.count());
  EXPECT_EQ(bench.all(), counted_in_frames(5));
}

TEST(CallCounter, OneThatNeverComesLosesNothing) {
  Bench bench(5);
  CallCounter& counter = bench.count_aside();
  bench.run();
  constexpr auto kWait = static_cast<std::int64_t>(CallPages::kPages - 1);  // all but the one that is written
  EXPECT_EQ(bench.times.of(0).count(), static_cast<std::uint64_t>(kFrames - kWait));
  for (std::int64_t i = 0; i < kWait; ++i) EXPECT_TRUE(counter.count());
  EXPECT_FALSE(counter.count());
  EXPECT_EQ(bench.all(), counted_in_frames(5));
}

TEST(CallCounter, OneThatStallsNowAndThenLosesNothing) {
  Bench bench(5);
  CallCounter& counter = bench.count_aside();
  bench.run(kFrames, [&](std::int64_t frame) {
    if (frame % 100 < 30) (void)counter.count();
  });
  while (counter.count()) {
  }
  EXPECT_EQ(bench.all(), counted_in_frames(5));
}

TEST(CallCounter, CountsBesideTheFrames) {
  Bench bench(20);
  CallCounter& counter = bench.count_aside();
  std::atomic<bool> ended{false};
  std::thread helper([&] {
    while (!ended.load()) (void)counter.count();
  });
  bench.run();
  ended.store(true);
  helper.join();
  while (counter.count()) {
  }
  EXPECT_EQ(bench.all(), counted_in_frames(20));
}

TEST(CallCounter, LeavesTheFirstFramesToThemselves) {
  Bench bench(2);
  CallCounter& counter = bench.count_aside();
  bench.run(kOwn);
  EXPECT_EQ(bench.times.of(0).count(), static_cast<std::uint64_t>(kOwn));
  EXPECT_FALSE(counter.count()) << "nothing was passed on";
}

TEST(CallCounter, KnowsWhenItHasCountedWhatWasPassedOn) {
  Bench bench(2);
  CallCounter& counter = bench.count_aside();
  bench.run(kOwn + 3);
  const std::vector<std::uint64_t> passed = counter.passed();
  ASSERT_EQ(passed, std::vector<std::uint64_t>{3});
  (void)counter.count();
  (void)counter.count();
  EXPECT_FALSE(counter.has_counted(passed));
  (void)counter.count();
  EXPECT_TRUE(counter.has_counted(passed));
}

TEST(CallCounter, BudgetsAreBookedInTheFrameThoughNobodyHasCountedIt) {
  constexpr Nanoseconds kBudget{1'000};
  Bench bench(2, kBudget);
  (void)bench.count_aside();
  std::int64_t over = 0;
  bench.run(kFrames, [&](std::int64_t frame) {
    over += Bench::time_of(0, frame) > kBudget.count() ? 1 : 0;
    ASSERT_EQ(bench.budgets->job(0).account.count(), over) << frame;
  });
  EXPECT_GT(over, 100);
}

TEST(CallCounter, WhatIsUsualIsKnownWhileItCounts) {
  Bench bench(3);
  CallCounter& counter = bench.count_aside();
  bench.run(kFrames, [&](std::int64_t) { (void)counter.count(); });
  for (std::uint32_t job = 0; job < 3; ++job)
    EXPECT_NEAR(static_cast<double>(bench.times.usual(job).count()),
                static_cast<double>(bench.times.of(job).quantile(0.5).count()), 150)
        << "the first frames are too few to change it";
}

TEST(CallCounter, CallsOfAWholeProgramAreCountedOnceAndWithoutTheHeap) {
  PlanFixture bench;
  bench.plan.job_times = true;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const rtsync::HeapWatch heap;
  std::optional<CallCounter> counter;
  bench.job("looks", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 0) first = heap.calls();
    last = heap.calls();
    if (call.frame % 3 == 0) (void)counter->count();
    return 0;
  });
  for (int i = 0; i < 20; ++i)
    bench.job("job" + std::to_string(i), TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
  counter.emplace(bench.make().program());
  EXPECT_EQ(bench.run(kFrames).outcome, Outcome::completed);
  EXPECT_LT(bench.executive->job_times(7).count(), static_cast<std::uint64_t>(kFrames)) << "pages wait";
  while (counter->count()) {
  }
  for (std::size_t i = 0; i < bench.plan.jobs.size(); ++i)
    EXPECT_EQ(bench.executive->job_times(i).count(), static_cast<std::uint64_t>(kFrames)) << i;
  EXPECT_EQ(last - first, 0U);
}

TEST(CallPages, StayWhileTheyWait) {
  CallPages pages(2);
  for (std::uint64_t i = 0; i + 1 < CallPages::kPages; ++i) {
    pages.open()[0] = {i, 1, 0};
    EXPECT_TRUE(pages.pass(100 + i, 1));
  }
  pages.open()[0] = {99, 1, 0};
  EXPECT_FALSE(pages.pass(99, 1)) << "all others wait";
  for (std::uint64_t i = 0; i + 1 < CallPages::kPages; ++i) {
    const auto page = pages.next();
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page->began, 100 + i);
    ASSERT_EQ(page->ends.size(), 1U);
    EXPECT_EQ(page->ends[0].ticks, i);
    pages.counted();
  }
  EXPECT_FALSE(pages.next().has_value());
  EXPECT_TRUE(pages.pass(99, 1)) << "there is room again";
  EXPECT_EQ(pages.next()->ends[0].ticks, 99U);
}

TEST(JobTimes, WhatIsUsualIsSaidByThoseWhoHaveCountedMost) {
  JobTimes times(2);
  for (int i = 0; i < 10; ++i) times.add(0, 1us);
  EXPECT_EQ(times.usual(0), times.of(0).quantile(0.5));
  times.make_helper();
  EXPECT_EQ(times.usual(0), times.of(0).quantile(0.5)) << "the helper has counted nothing";
  for (int i = 0; i < 11; ++i) times.add_beside(0, 50us);
  EXPECT_LT(times.usual(0), 2us) << "its median is not shown yet";
  times.show_median(0);
  EXPECT_GT(times.usual(0), 40us);
  for (int i = 0; i < 10; ++i) times.add(0, 1us);
  EXPECT_LT(times.usual(0), 2us);
  EXPECT_EQ(times.usual(1), 0us) << "no call";
  EXPECT_EQ(times.of(0).count(), 31U);
  EXPECT_EQ(times.of(0).max(), 50us);
  EXPECT_EQ(times.of(0).min(), 1us);
  EXPECT_GT(times.late_time(0), 40us);
}

}  // namespace
}  // namespace tactus::executive::call_counter_test
