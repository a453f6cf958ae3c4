// SPDX-License-Identifier: Apache-2.0
/// `budget:` in a rig file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::budgets_test {
namespace {

using namespace std::chrono_literals;
using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kPaced = "realtime: { enabled: yes }\n";

std::string rig(const std::string& job, const std::string& more = "") {
  return kHead + "  m: { model: gain, library: ./libmodels.so, jobs: { step: " + job + " } }\n" + more;
}

TEST(Budgets, AreTakenIntoThePlan) {
  const LoadedRig made(rig("{ budget: 40 us }",
                           "  n: { model: matrix, library: ./libmodels.so, thread: w }\n"
                           "  t: { model: tank, library: ./libclasses.so }\n"
                           "threads: { main: { budget: 900 us }, workers: { w: { budget: 300 us } } }\n"
                           "integrate: { i: { models: [t], budget: 70 us } }\n"
                           "record: { r: { variables: [m.*], budget: 5 us } }\n"));
  const Plan& plan = made.plan();
  std::map<std::string, Nanoseconds> found;
  for (const PlannedJob& job : plan.jobs)
    if (job.budget) found[job.name] = *job.budget;
  EXPECT_THAT(found, ElementsAre(std::pair("m.step", 40us), std::pair("record.r", 5us)));
  EXPECT_EQ(plan.loops.at(0).budget, 70us);
  EXPECT_EQ(plan.main_budget, 900us);
  EXPECT_EQ(plan.threads.at(0).budget, 300us);
}

TEST(Budgets, WithoutOneThereIsNone) {
  const LoadedRig made(rig("{ cycle: 1 ms }"));
  for (const PlannedJob& job : made.plan().jobs) EXPECT_FALSE(job.budget) << job.name;
  EXPECT_FALSE(made.plan().main_budget);
}

TEST(Budgets, WhatIsMoreThanThereIsTimeForIsRefusedWithItsPlace) {
  const struct {
    std::string text;
    std::string problem;
  } rows[] = {
      {rig("{ budget: 1001 us }", kPaced), "5:70: models.m.jobs.step.budget: "},
      {rig("{ cycle: 200 us, budget: 201 us }", kPaced), "5:85: models.m.jobs.step.budget: "},
      {rig("{ cycle: 10 ms, budget: 2 ms }", kPaced), "5:84: models.m.jobs.step.budget: "},
      {rig("{ budget: 400 us }", "realtime: { enabled: yes, ratio: 4x }\n"),
       "5:70: models.m.jobs.step.budget: "},
      {rig("{ }", "threads: { main: { budget: 2 ms } }\n" + kPaced), "6:28: threads.main.budget: "},
      {rig("{ }", "record: { r: { variables: [m.*], budget: 3 ms } }\n" + kPaced), "6:42: record.r.budget: "},
  };
  for (const auto& row : rows)
    EXPECT_THAT(problems_of(row.text), ElementsAre(StartsWith(row.problem))) << row.text;
}

TEST(Budgets, AnAsynchronousThreadGivesItsPeriod) {
  const auto text = [](const char* budget, const char* worker) {
    return kHead +
           "  m: { model: gain, library: ./libmodels.so, thread: w, jobs: { step: { budget: " + budget +
           " } } }\nthreads: { workers: { w: " + worker + " } }\n" + kPaced;
  };
  const char* const slow = "{ kind: asynchronous_must_finish, period: 10 ms }";
  EXPECT_THAT(problems_of(text("1 ms", slow)), IsEmpty());
  EXPECT_THAT(problems_of(text("2001 us", slow)),
              ElementsAre(StartsWith("5:81: models.m.jobs.step.budget: ")));
  EXPECT_THAT(problems_of(text("1 min", "{ kind: asynchronous }")), IsEmpty())
      << "it takes as long as it likes";
  EXPECT_THAT(problems_of(text("1 us", "{ kind: asynchronous_must_finish, period: 10 ms, budget: 11 ms }")),
              ElementsAre(StartsWith("6:83: threads.workers.w.budget: ")));
}

TEST(Budgets, OnlyWhatFramesCallHasOne) {
  EXPECT_THAT(
      problems_of(kHead +
                  "  m: { model: gain, library: ./libmodels.so, jobs: { initialize: { budget: 1 us } } }\n"),
      ElementsAre(StartsWith("5:76: models.m.jobs.initialize.budget: ")));
  EXPECT_THAT(
      problems_of(kHead +
                  "  t: { model: tank, library: ./libclasses.so, jobs: { slope: { budget: 1 us } } }\n"
                  "integrate: { i: { models: [t] } }\n"),
      ElementsAre(StartsWith("5:72: models.t.jobs.slope.budget: ")));
}

TEST(Budgets, OutsideOfRealTimeThereIsAllTheTime) {
  EXPECT_THAT(problems_of(rig("{ budget: 1 s }", "realtime: { enabled: no }\n")), IsEmpty());
}

TEST(Budgets, ABareNumberAndNothingAreRefused) {
  for (const char* budget : {"1", "0 us", "-1 us", "2 h", "fast"}) {
    const auto problems = problems_of(rig(std::string("{ budget: ") + budget + " }"));
    ASSERT_EQ(problems.size(), 1U) << budget;
    EXPECT_TRUE(problems[0].starts_with("5:70: models.m.jobs.step.budget: ")) << problems[0];
  }
}

}  // namespace
}  // namespace tactus::executive::budgets_test
