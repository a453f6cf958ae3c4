// SPDX-License-Identifier: Apache-2.0
/// What is decided about a rig's threads before one of them is started.
#include "executive/run_base/rig_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace tactus::executive::rig_threads_test {
namespace {

using namespace std::chrono_literals;
using rtsync::CpuSet;
using rtsync::WaitMode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RigCpus cpus(const CpuSet& main, std::vector<CpuSet> workers, const CpuSet& helpers) {
  RigCpus made;
  made.main = main;
  made.workers = std::move(workers);
  made.helpers = helpers;
  return made;
}

struct Row {
  const char* why;
  bool realtime;
  WaitMode wanted;
  bool given;
  RigCpus cpus;
  WaitMode chosen;
  bool refused = false;
};

TEST(WaitModes, SpinningNeedsACpuOfItsOwn) {
  const RigCpus own = cpus(CpuSet{3}, {CpuSet{2}}, CpuSet{0});
  const RigCpus shared = cpus(CpuSet{3}, {CpuSet{3}}, CpuSet{0});
  const RigCpus of_helpers = cpus(CpuSet{3}, {CpuSet{0}}, CpuSet{0});
  const RigCpus two = cpus(CpuSet{0}, {CpuSet({0, 1})}, CpuSet{0});
  const Row rows[] = {
      {"it has one", true, WaitMode::spin, true, own, WaitMode::spin},
      {"it has one", true, WaitMode::adaptive, false, own, WaitMode::adaptive},
      {"main is there", true, WaitMode::spin, true, shared, WaitMode::futex, true},
      {"helpers are there", true, WaitMode::spin, true, of_helpers, WaitMode::futex, true},
      {"nobody asked for it", true, WaitMode::adaptive, false, shared, WaitMode::futex},
      {"it sleeps in any case", true, WaitMode::futex, true, shared, WaitMode::futex},
      {"nobody waits for microseconds", false, WaitMode::adaptive, false, own, WaitMode::futex},
      {"the rig file says so", false, WaitMode::spin, true, own, WaitMode::spin},
      {"two threads have two CPUs", false, WaitMode::adaptive, true, two, WaitMode::adaptive},
      {"but not for spinning", false, WaitMode::spin, true, two, WaitMode::adaptive},
      {"two threads have one CPU", false, WaitMode::adaptive, true, shared, WaitMode::futex},
  };
  for (const Row& row : rows) {
    Plan plan;
    plan.threads.resize(1);
    plan.threads[0].name = "plant";
    plan.threads[0].wait = row.wanted;
    plan.threads[0].wait_given = row.given;
    std::vector<rtsync::Provision> refused;
    RigThreads::choose_wait_modes(plan, row.cpus, row.realtime, refused);
    EXPECT_EQ(plan.threads[0].wait, row.chosen) << row.why;
    EXPECT_THAT(refused, SizeIs(row.refused ? 1 : 0)) << row.why;
    if (refused.empty()) continue;
    EXPECT_EQ(refused[0].what, "trigger spin for thread plant");
    EXPECT_EQ(refused[0].got, "futex");
    EXPECT_THAT(refused[0].fix, HasSubstr("threads.workers.plant.cpus"));
  }
}

TEST(HardBudgetLooks, AreAQuarterOfTheShortestAndAtLeast250us) {
  Plan plan;
  EXPECT_EQ(RigThreads::hard_budget_looks(plan), std::nullopt);
  plan.jobs.resize(3);
  EXPECT_EQ(RigThreads::hard_budget_looks(plan), std::nullopt) << "no job has one";
  plan.jobs[0].hard_budget = 8ms;
  EXPECT_EQ(RigThreads::hard_budget_looks(plan), 2ms);
  plan.jobs[2].hard_budget = 4ms;
  EXPECT_EQ(RigThreads::hard_budget_looks(plan), 1ms);
  plan.jobs[1].hard_budget = 100us;
  EXPECT_EQ(RigThreads::hard_budget_looks(plan), 250us);
}

TEST(RigCpus, ThoseOfTheFramesAreMainsAndTheWorkers) {
  EXPECT_EQ(cpus(CpuSet{3}, {CpuSet{2}, CpuSet({1, 2})}, CpuSet{0}).of_frames(), CpuSet({1, 2, 3}));
  EXPECT_EQ(cpus(CpuSet{3}, {}, CpuSet{0}).of_frames(), CpuSet{3});
}

TEST(RigCpus, HelpersAreOrdinaryThreadsWithASmallStackIfTheyCallNoModel) {
  const RigCpus made = cpus(CpuSet{3}, {}, CpuSet{0});
  const rtsync::ThreadSettings helper = made.helper("setup");
  EXPECT_EQ(helper.name, "setup");
  EXPECT_EQ(helper.cpus, CpuSet{0});
  EXPECT_EQ(helper.policy, rtsync::SchedPolicy::other);
  EXPECT_EQ(helper.stack_bytes, 0U) << "the default of the machine";
  EXPECT_EQ(made.small_helper("recorder").stack_bytes, std::size_t{1} << 20);
}

TEST(ChooseCpus, WithoutRealTimeEveryThreadMayRunAnywhere) {
  ThreadsSection threads;
  threads.workers.resize(2);
  const RigCpus chosen = choose_cpus(threads, false);
  EXPECT_EQ(chosen.main, rtsync::allowed_cpus());
  EXPECT_EQ(chosen.helpers, rtsync::allowed_cpus());
  EXPECT_THAT(chosen.workers, SizeIs(2));
  EXPECT_THAT(chosen.refused, IsEmpty());
}

TEST(ChooseCpus, ACpuThatThisProcessMayNotUseIsRefused) {
  ThreadsSection threads;
  threads.main.cpus = {1023};
  threads.helpers.cpus = {1022};
  threads.workers.resize(1);
  threads.workers[0].name = "plant";
  threads.workers[0].cpus = {1021};
  threads.workers[0].policy = rtsync::SchedPolicy::other;
  const RigCpus chosen = choose_cpus(threads, true);
  std::vector<std::string> what;
  for (const rtsync::Provision& refused : chosen.refused) {
    EXPECT_FALSE(refused.granted);
    what.push_back(refused.what);
  }
  EXPECT_THAT(what, ::testing::IsSupersetOf({"CPUs 1023 for thread main", "CPUs 1021 for thread plant",
                                             "CPUs 1022 for the helpers"}));
  EXPECT_TRUE(rtsync::allowed_cpus().contains(chosen.of_frames() | chosen.helpers));
}

}  // namespace
}  // namespace tactus::executive::rig_threads_test
