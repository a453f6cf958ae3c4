// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/job_budgets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "executive/frame/async_worker.hpp"
#include "executive/frame/lane.hpp"

namespace tactus::executive::job_budgets_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;

/// Jobs that take as long as they are told, by a clock that is moved by them alone.
class JobBudgetsOfALane : public ::testing::Test {
 protected:
  struct Job {
    std::int64_t* now;
    Nanoseconds takes;
    static int run(void* self, const tactus_call*) {
      const auto* const job = static_cast<const Job*>(self);
      *job->now += job->takes.count();
      return 0;
    }
  };

  void SetUp() override {
    plan_.jobs.resize(3);
    plan_.jobs[0].budget = 100us;
    plan_.jobs[2].budget = 1ms;
    plan_.main_budget = 2ms;
  }
  void make() {
    budgets_.emplace(plan_, clock_);
    lane_.emplace(clock_, times_, *budgets_, 0, 16);
  }
  /// Frame k, in which job i takes takes[i].
  void frame(std::int64_t k, std::array<Nanoseconds, 3> takes) {
    lane_->begin_frame(k);
    Entries entries;
    std::array<Job, 3> jobs{};
    for (std::uint32_t i = 0; i < takes.size(); ++i) {
      jobs[i] = {&now_, takes[i]};
      entries.push_back({&Job::run, &jobs[i], nullptr, i});
    }
    ASSERT_TRUE(lane_->run_list(entries));
    lane_->count();
    lane_->book_frame();
  }
  BudgetAccount& account(std::size_t job) { return budgets_->job(job).account; }

  Plan plan_;
  std::int64_t now_ = 1000;
  JobClock clock_{false, [this] { return now_; }};
  std::vector<rtsync::JobHistogram> times_ = std::vector<rtsync::JobHistogram>(3);
  std::optional<JobBudgets> budgets_;
  std::optional<Lane> lane_;
};

TEST_F(JobBudgetsOfALane, ACallIsOverFromTheFirstNanosecondBeyondItsBudget) {
  make();
  frame(0, {99'999ns, 500us, 10us});
  frame(1, {100us, 500us, 10us});
  EXPECT_EQ(account(0).count(), 0);
  frame(2, {100'001ns, 500us, 10us});
  EXPECT_EQ(account(0).count(), 1);
  EXPECT_EQ(account(0).worst_over(), 1ns);
}

TEST_F(JobBudgetsOfALane, EachJobHasItsOwnAndOneWithoutIsNeverOver) {
  make();
  frame(0, {150us, 1h, 999us});
  frame(1, {400us, 1h, 1'200us});
  frame(2, {120us, 1h, 1us});
  EXPECT_EQ(account(0).count(), 3);
  EXPECT_EQ(account(0).worst_over(), 300us);
  EXPECT_EQ(account(1).count(), 0);
  EXPECT_EQ(account(2).count(), 1);
  EXPECT_EQ(account(2).worst_over(), 200us);
}

TEST_F(JobBudgetsOfALane, AThreadIsOverByTheSumOfItsJobsInOneFrame) {
  make();
  frame(0, {50us, 1'000us, 950us});
  EXPECT_EQ(budgets_->thread(0).account.count(), 0) << "2 ms are within 2 ms";
  frame(1, {50us, 1'001us, 950us});
  EXPECT_EQ(budgets_->thread(0).account.count(), 1);
  EXPECT_EQ(budgets_->thread(0).account.worst_over(), 1us);
  frame(2, {50us, 1'000us, 500us});
  frame(3, {50us, 1'000us, 500us});
  EXPECT_EQ(budgets_->thread(0).account.count(), 1) << "two frames are not added up";
}

TEST_F(JobBudgetsOfALane, ALookTellsWhatCameSinceTheOneBefore) {
  make();
  for (std::int64_t k = 0; k < 20; ++k) frame(k, {k == 7 || k == 12 || k == 15 ? k * 100us : 1us, 0us, 0us});
  BudgetAccount::Since since = account(0).take();
  EXPECT_EQ(since.count, 3);
  EXPECT_EQ(since.first, 7);
  EXPECT_EQ(since.last, 15);
  EXPECT_EQ(since.worst, 1'500us);
  EXPECT_EQ(account(0).take().count, 0);
  frame(30, {200us, 0us, 0us});
  since = account(0).take();
  EXPECT_EQ(since.count, 1);
  EXPECT_EQ(since.first, 30);
  EXPECT_EQ(since.last, 30);
  EXPECT_EQ(since.worst, 200us) << "the longest since the last look, not of all";
  EXPECT_EQ(account(0).count(), 4);
}

TEST_F(JobBudgetsOfALane, MoreCallsThanTheLogHoldsAreStillOneFrame) {
  budgets_.emplace(plan_, clock_);
  lane_.emplace(clock_, times_, *budgets_, 0, 1);  // its log holds 65
  lane_->begin_frame(5);
  Job job{&now_, 50us};
  const Entry entry{&Job::run, &job, nullptr, 1};
  lane_->begin();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(lane_->call(entry), CallEnd::done);
  lane_->count();
  lane_->book_frame();
  EXPECT_EQ(budgets_->thread(0).account.count(), 1);
  EXPECT_EQ(budgets_->thread(0).account.worst_over(), 8ms) << "200 calls of 50 us are 8 ms more than 2 ms";
}

TEST_F(JobBudgetsOfALane, AnAsynchronousThreadHasItsPeriod) {
  plan_.threads.push_back({"slow", ThreadKind::asynchronous, rtsync::Period{10'000'000, 1}});
  plan_.threads[0].budget = 5ms;
  budgets_.emplace(plan_, clock_);
  AsyncWorker worker(clock_, times_, *budgets_, 1, 16);
  Job job{&now_, 6ms};
  worker.all.push_back({&Job::run, &job, nullptr, 2});
  worker.prepare(40, 0, 0);
  ASSERT_TRUE(worker.run());
  job.takes = 1ms;
  worker.prepare(50, 0, 0);
  ASSERT_TRUE(worker.run());
  BudgetAccount::Since since = budgets_->thread(1).account.take();
  EXPECT_EQ(since.count, 1);
  EXPECT_EQ(since.first, 40);
  EXPECT_EQ(since.worst, 6ms);
  EXPECT_EQ(account(2).count(), 1);
  EXPECT_EQ(account(2).worst_over(), 5ms);
}

TEST(JobClock, TheTicksBeyondATimeAreTheFirstThatAreLonger) {
  const JobClock counter(true, &JobClock::monotonic);
  const JobClock plain(false, &JobClock::monotonic);
  for (const JobClock* const clock : {&counter, &plain})
    for (const Nanoseconds time :
         {0ns, 1ns, 999ns, 1'000ns, 123'457ns, Nanoseconds(1s), Nanoseconds(3600s)}) {
      const std::uint64_t beyond = clock->ticks_beyond(time);
      EXPECT_GT(clock->to_time(beyond), time);
      EXPECT_LE(clock->to_time(beyond - 1), time);
    }
}

}  // namespace
}  // namespace tactus::executive::job_budgets_test
