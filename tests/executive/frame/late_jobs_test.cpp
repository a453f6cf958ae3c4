// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/late_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace tactus::executive::late_jobs_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using ::testing::ElementsAre;

/// A lane whose jobs have taken as long in a hundred frames.
class Bench {
 public:
  explicit Bench(const std::vector<Nanoseconds>& usual)
      : times_(usual.size()), late_(clock_, times_, std::vector<bool>(usual.size(), false)) {
    for (std::size_t job = 0; job < usual.size(); ++job)
      for (int i = 0; i < 100; ++i) times_[job].add(usual[job]);
    log_.push_back({0, kNoPlanJob, 0});
  }
  void call(std::uint32_t job, Nanoseconds took) {
    log_.push_back({log_.back().ticks + static_cast<std::uint64_t>(took.count()), job, 0});
  }
  /// No job ran.
  void pass(Nanoseconds time) { call(kNoPlanJob, time); }
  LateJobs::Calls late() { return late_.beyond_usual(0, log_); }
  LateJobs::Calls longest() { return late_.longest(0, log_); }

 private:
  const JobClock clock_{false, [] { return std::int64_t{0}; }};
  std::vector<rtsync::JobHistogram> times_;
  LateJobs late_;
  std::vector<Lane::JobEnd> log_;
};

TEST(LateJobs, ThatShareAnExcessAreCountedTogether) {
  Bench bench(std::vector<Nanoseconds>(60, 16us));
  for (std::uint32_t job = 0; job < 60; ++job) bench.call(job, job < 40 ? 66us + job * 1us : 16us);
  const LateJobs::Calls late = bench.late();
  EXPECT_EQ(late.job, kNoPlanJob) << "none of them alone";
  EXPECT_EQ(late.group.jobs, 40U);
  EXPECT_EQ(late.group.calls, 40U);
  EXPECT_THAT(late.group.first, ElementsAre(39U, 38U, 37U)) << "the largest excess first";
  EXPECT_NEAR(static_cast<double>(late.group.excess.count()), 40 * 50e3 + 780e3, 40 * 2e3);
  EXPECT_EQ(late.excess, late.group.excess);
  EXPECT_EQ(late.begin->ticks, 0U);
  EXPECT_EQ(late.end->job, 39U) << "those behind are as usual";
}

TEST(LateJobs, OneThatHadMostOfItIsNamedAlone) {
  Bench bench(std::vector<Nanoseconds>(10, 16us));
  for (std::uint32_t job = 0; job < 10; ++job) bench.call(job, job == 4 ? 1016us : job == 7 ? 216us : 16us);
  const LateJobs::Calls late = bench.late();
  EXPECT_EQ(late.job, 4U);
  EXPECT_EQ(late.group.jobs, 0U);
  EXPECT_NEAR(static_cast<double>(late.excess.count()), 1e6, 2e3);
  EXPECT_EQ(late.end->ticks - late.begin->ticks, 1'016'000U);
}

TEST(LateJobs, TwoWithAlmostAsMuchAreBothNamed) {
  Bench bench({16us, 16us, 16us});
  bench.call(0, 616us);
  bench.call(1, 16us);
  bench.call(2, 516us);
  const LateJobs::Calls late = bench.late();
  EXPECT_EQ(late.group.jobs, 2U);
  EXPECT_THAT(late.group.first, ElementsAre(0U, 2U, Finding::kNoJob));
}

TEST(LateJobs, OneWithManyCallsIsOneJob) {
  Bench bench({16us, 16us});
  for (int i = 0; i < 10; ++i) {
    bench.call(0, 116us);
    bench.pass(5us);
    bench.call(1, 16us);
  }
  const LateJobs::Calls late = bench.late();
  EXPECT_EQ(late.job, 0U);
  EXPECT_EQ(late.group.jobs, 1U);
  EXPECT_EQ(late.group.calls, 10U);
  EXPECT_NEAR(static_cast<double>(late.excess.count()), 1e6, 2e4);
}

TEST(LateJobs, ALongCallAmongShortOnesOfItsJobIsThatCall) {
  Bench bench({16us});
  for (int i = 0; i < 10; ++i) bench.call(0, i == 3 ? 1016us : 17us);
  const LateJobs::Calls late = bench.late();
  EXPECT_EQ(late.job, 0U);
  EXPECT_EQ(late.group.jobs, 0U);
  EXPECT_EQ(late.end->ticks - late.begin->ticks, 1'016'000U);
}

TEST(LateJobs, WhereNoneTookLongerOneIsNamedAllTheSame) {
  Bench bench({16us, 416us});
  bench.call(0, 10us);
  bench.call(1, 400us);
  const LateJobs::Calls late = bench.late();
  EXPECT_NE(late.begin, nullptr);
  EXPECT_NE(late.job, kNoPlanJob);
  EXPECT_LE(late.excess, 0ns);
  EXPECT_EQ(bench.longest().job, 1U);
}

TEST(LateJobs, OfAnEmptyFrameAreNone) {
  Bench bench({16us});
  EXPECT_EQ(bench.late().begin, nullptr);
  bench.pass(100us);
  EXPECT_EQ(bench.late().begin, nullptr);
  EXPECT_EQ(bench.longest().begin, nullptr);
}

}  // namespace
}  // namespace tactus::executive::late_jobs_test
