// SPDX-License-Identifier: Apache-2.0
/// What is decided about a rig's threads before one of them is started.
#include "executive/run_base/rig_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

TEST(ChooseCpus, MainIsNotPutOnACpuThatTheFileGivesToAWorker) {
  const CpuSet allowed = rtsync::allowed_cpus();
  if (allowed.count() < 2) GTEST_SKIP() << "two threads need two CPUs";
  const CpuSet usual = rtsync::default_frame_cpu();
  ThreadsSection threads;
  threads.workers.resize(1);
  threads.workers[0].name = "plant";
  threads.workers[0].cpus = usual.cpus();
  const RigCpus chosen = choose_cpus(threads, true);
  EXPECT_EQ(chosen.workers.at(0), usual);
  EXPECT_EQ(chosen.main.count(), 1);
  EXPECT_TRUE((allowed - usual).contains(chosen.main));
  EXPECT_THAT(chosen.refused, IsEmpty());
  const RigCpus all_taken = choose_cpus(threads, true, allowed);
  EXPECT_EQ(all_taken.main, usual) << "where none is free the usual one";
  ASSERT_THAT(all_taken.refused, SizeIs(1));
  EXPECT_EQ(all_taken.refused[0].what, "a CPU of its own for thread main");
  EXPECT_THAT(all_taken.refused[0].got, HasSubstr("which thread plant has"));
  threads.main.cpus = usual.cpus();
  EXPECT_THAT(choose_cpus(threads, true).refused, IsEmpty()) << "the file says so";
  threads.main.cpus.clear();
  threads.workers[0].policy = rtsync::SchedPolicy::other;
  EXPECT_THAT(choose_cpus(threads, true, allowed).refused, IsEmpty())
      << "an ordinary thread is in nobody's way";
}

/// Two rigs with defaults: the second takes another CPU, or says who has its own.
TEST(ClaimedCpus, AreNotTakenByASecondRig) {
  const CpuSet allowed = rtsync::allowed_cpus();
  const std::string domain = "rig-threads-test-" + std::to_string(::getpid());
  const ThreadsSection defaults;
  std::vector<std::unique_ptr<rtsync::CpuClaims>> claims;
  CpuSet taken;
  for (int rig = 0; rig < std::min(allowed.count(), 8); ++rig) {
    claims.push_back(std::make_unique<rtsync::CpuClaims>("rig-" + std::to_string(rig), domain));
    const RigCpus chosen = claim_cpus(defaults, true, *claims.back());
    ASSERT_EQ(chosen.main.count(), 1);
    EXPECT_TRUE(allowed.contains(chosen.main));
    EXPECT_FALSE(chosen.main.intersects(taken)) << "rig " << rig;
    for (const rtsync::Provision& each : chosen.refused)
      EXPECT_THAT(each.what, ::testing::Not(HasSubstr("of this rig alone")));
    if (rig > 0) {
      ASSERT_FALSE(chosen.refused.empty());
      EXPECT_TRUE(chosen.refused.back().granted) << "a move is said";
      EXPECT_THAT(chosen.refused.back().what,
                  HasSubstr("rig 'rig-0' (process " + std::to_string(::getpid())));
      EXPECT_EQ(chosen.rig, claims.back()->rig());
    }
    taken |= chosen.main;
  }
  if (taken == allowed) {
    rtsync::CpuClaims last("last", domain);
    const RigCpus chosen = claim_cpus(defaults, true, last);
    EXPECT_EQ(chosen.main, rtsync::default_frame_cpu());
    const auto shared = std::find_if(chosen.refused.begin(), chosen.refused.end(), [](const auto& each) {
      return each.what.find("of this rig alone") != std::string::npos;
    });
    ASSERT_NE(shared, chosen.refused.end());
    EXPECT_FALSE(shared->granted);
    EXPECT_THAT(shared->cause, HasSubstr("rig 'rig-0' (process "));
    EXPECT_THAT(shared->fix, HasSubstr("threads.main.priority"));
  }
  ThreadsSection named;  // the file names the CPU of the first rig
  named.main.cpus = rtsync::default_frame_cpu().cpus();
  claims.push_back(std::make_unique<rtsync::CpuClaims>("insists", domain));
  const RigCpus chosen = claim_cpus(named, true, *claims.back());
  EXPECT_EQ(chosen.main, rtsync::default_frame_cpu());
  EXPECT_THAT(chosen.refused, ::testing::Contains(::testing::Field(&rtsync::Provision::granted, false)));
  claims.erase(claims.begin());
  rtsync::CpuClaims next("next", domain);
  EXPECT_THAT(claim_cpus(named, true, next).refused,
              ::testing::Contains(::testing::Field(&rtsync::Provision::granted, false)))
      << "the rig that shared the CPU has it still";
  claims.clear();
  next = rtsync::CpuClaims("next", domain);
  rtsync::CpuClaims after("after", domain);
  EXPECT_EQ(claim_cpus(defaults, true, after).main, rtsync::default_frame_cpu()) << "an end gives it back";
  EXPECT_TRUE(rtsync::CpuClaims("other", domain + "x").others().empty()) << "domains do not see each other";
}

TEST(ClaimedCpus, AreNoMatterWithoutRealTime) {
  rtsync::CpuClaims claims("free", "rig-threads-test-free-" + std::to_string(::getpid()));
  EXPECT_THAT(claim_cpus({}, false, claims).refused, IsEmpty());
  EXPECT_TRUE(rtsync::CpuClaims("b", "rig-threads-test-free-" + std::to_string(::getpid())).others().empty());
}

TEST(ChosenCpus, AvoidThoseOfOtherRigs) {
  const CpuSet allowed = rtsync::allowed_cpus();
  const RigCpus all_taken = choose_cpus({}, true, allowed);
  EXPECT_EQ(all_taken.main, rtsync::default_frame_cpu()) << "where none is free the usual one";
  if (allowed.count() < 2) return;
  const RigCpus second = choose_cpus({}, true, rtsync::default_frame_cpu());
  EXPECT_FALSE(second.main.intersects(rtsync::default_frame_cpu()));
}

}  // namespace
}  // namespace tactus::executive::rig_threads_test
