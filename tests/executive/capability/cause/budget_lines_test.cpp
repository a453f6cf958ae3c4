// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/budget_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace tactus::executive::budget_lines_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BudgetLines, NameJobAndThreadOncePerLook) {
  Plan plan;
  plan.jobs.resize(2);
  plan.jobs[0].name = "plant.step";
  plan.jobs[0].budget = 1ms;
  plan.jobs[1].name = "road.step";
  plan.jobs[1].budget = 40us;
  plan.threads.resize(1);
  plan.threads[0].name = "road";
  plan.threads[0].budget = 2ms;
  const JobClock clock(false, &JobClock::monotonic);
  JobBudgets budgets(plan, clock);
  EXPECT_THAT(take_budget_lines(plan, budgets), IsEmpty());
  for (const auto& [frame, took] : {std::pair(10, 1100us), std::pair(44, 1200us), std::pair(500, 1001us)})
    budgets.job(0).account.add(frame, took, took - 1ms);
  budgets.job(1).account.add(7, 50us, 10us);
  budgets.thread(1).account.add(8, 3ms, 1ms);
  EXPECT_THAT(take_budget_lines(plan, budgets),
              ElementsAre("job plant.step took 1.20 ms, its budget is 1.00 ms: 3 times in frames 10 to 500",
                          "job road.step took 50.0 us, its budget is 40.0 us: once in frame 7",
                          "thread road took 3.00 ms, its budget is 2.00 ms: once in frame 8"));
  EXPECT_THAT(take_budget_lines(plan, budgets), IsEmpty()) << "said once";
}

TEST(BudgetLines, ARigWithoutBudgetsHasNone) {
  Plan plan;
  plan.jobs.resize(1);
  const JobClock clock(false, &JobClock::monotonic);
  JobBudgets budgets(plan, clock);
  EXPECT_FALSE(budgets.any());
  EXPECT_THAT(take_budget_lines(plan, budgets), IsEmpty());
}

}  // namespace
}  // namespace tactus::executive::budget_lines_test
