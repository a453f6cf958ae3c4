// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/policy/run_policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/recorded_voice.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::run_policies_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using rtsync::Nanoseconds;
using test::PlanFixture;
using test::RecordedVoice;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

EscalationStep step(std::int64_t after, StepAction action, Nanoseconds within = 1s) {
  return {after, within, action};
}

/// A rig whose frames take what the test says, by their numbers.
class RunPoliciesTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunPoliciesTest() {
    realtime.enabled = true;
    realtime.overrun.on_overrun = rtsync::OnOverrun::reanchor;
    job("load", TACTUS_TOP_OF_FRAME, [this](const tactus_call& call) {
      const auto takes = work.find(call.frame);
      clock.advance(takes == work.end() ? 100us : takes->second);
      return 0;
    });
  }
  PlannedJob& optional(const std::string& name, std::int64_t order) {
    PlannedJob& made = job(name, TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
    made.optional = order;
    return made;
  }
  RunEnd run(std::int64_t frames) {
    make();
    policies.emplace(*executive, variables);
    return PlanFixture::run(frames);
  }
  std::vector<std::string> poll() {
    policies->poll(voice.voice());
    return voice.take();
  }
  std::vector<std::string> poll_seldom() {
    policies->poll_seldom(voice.voice());
    return voice.take();
  }

  std::map<std::int64_t, Nanoseconds> work;
  PolicyVariables variables;
  std::optional<RunPolicies> policies;
  RecordedVoice voice;
};

TEST_F(RunPoliciesTest, AStepIsToldWithItsReasonAndWhatItLeavesOut) {
  optional("view", 1);
  optional("stats", 1);
  optional("log", 2);
  plan.escalation = {step(2, StepAction::shed)};
  plan.restore_after = 3;
  for (const std::int64_t k : {2, 4, 6, 7}) work[k] = 1500us;
  EXPECT_EQ(run(20).outcome, Outcome::completed);
  tactus::test::Snapshot().add(poll());
  EXPECT_THAT(poll(), IsEmpty()) << "once";
  EXPECT_THAT(voice.log(), HasSubstr("warning")) << "and in the log";
}

TEST_F(RunPoliciesTest, WhatChangesNothingIsOneLineHoweverOftenItCame) {
  plan.escalation = {step(1, StepAction::count)};
  for (const std::int64_t k : {2, 5, 9}) work[k] = 1500us;
  (void)run(12);
  EXPECT_THAT(poll(), IsEmpty()) << "it may wait";
  tactus::test::Snapshot().add(poll_seldom());
  EXPECT_THAT(poll_seldom(), IsEmpty());
}

TEST_F(RunPoliciesTest, SaysWhenNothingIsLeftToBeDone) {
  plan.escalation = {step(1, StepAction::shed), step(1, StepAction::demote)};
  work[3] = 1500us;
  (void)run(5);
  EXPECT_THAT(poll(), IsEmpty());
  tactus::test::Snapshot().add(poll_seldom());
}

TEST_F(RunPoliciesTest, ADemotedJobSaysHowManyOfItsCallsItKeeps) {
  job("slow", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).demoted_to = 4;
  plan.escalation = {step(1, StepAction::demote)};
  work[3] = 1500us;
  (void)run(5);
  tactus::test::Snapshot().add(poll());
}

TEST_F(RunPoliciesTest, AnotherActionIsToldAndThatItIsTheOldOneAgain) {
  plan.escalation = {step(1, StepAction::skip)};
  plan.restore_after = 2;
  work[3] = 1500us;
  (void)run(9);
  tactus::test::Snapshot().add(poll());
}

TEST_F(RunPoliciesTest, SaysThatTheRigEnds) {
  plan.escalation = {step(2, StepAction::terminate)};
  work[3] = work[5] = 1500us;
  const RunEnd end = run(20);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.frames, 6);
  tactus::test::Snapshot().add(poll());
}

TEST_F(RunPoliciesTest, SaysThatTheRigFreezes) {
  plan.escalation = {step(1, StepAction::safe_state)};
  work[3] = 1500us;
  make();
  policies.emplace(*executive, variables);
  sleeper.on_wait = [this](int wait) {
    if (wait > 10) executive->request_stop("the test stops it");
  };
  (void)PlanFixture::run(20);
  tactus::test::Snapshot().add(poll());
}

TEST_F(RunPoliciesTest, AJobBeyondItsHardBudgetIsNamedOnceASecondAndCounted) {
  tactus::test::Snapshot texts;
  PlannedJob& hot = job("hot", TACTUS_SCHEDULED, [this](const tactus_call& call) {
    if (call.frame % 2 == 0) return 0;
    clock.advance(400us);
    executive->program().hard_budgets().look([](StepAction) {});  // as the guard does, while it runs
    return 0;
  });
  hot.hard_budget = 300us;
  (void)run(6);
  texts.add(poll());
  texts.add(poll_seldom());
  EXPECT_THAT(poll_seldom(), IsEmpty()) << "nothing came since";
  const Json hard = policies->summary()["hard_budgets"];
  ASSERT_EQ(hard.size(), 1U);
  EXPECT_EQ(hard[0], Json::parse(R"({"job": "hot", "hard_budget_ns": 300000, "do": "count", "exceeded": 3,
                                     "named": 3})"));
}

TEST_F(RunPoliciesTest, TheSummaryHasEachStepAndEachJobThatCanBeLeftOut) {
  optional("view", 1);
  job("slow", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).demoted_to = 4;
  job("plant", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
  plan.escalation = {step(2, StepAction::shed), step(9, StepAction::skip, 20ms)};
  work[2] = work[4] = 1500us;
  (void)run(8);
  const Json all = policies->summary();
  EXPECT_EQ(all["on_overrun"], "reanchor");
  EXPECT_EQ(all["steps"], Json::parse(R"([
      {"of": "rig", "after": 2, "within_ns": 1000000000, "do": "shed", "taken": 1},
      {"of": "rig", "after": 9, "within_ns": 20000000, "do": "skip", "taken": 0}])"));
  EXPECT_EQ(all["jobs"], Json::parse(R"([
      {"name": "view", "optional": 1, "demote": null, "shed": 1, "demoted": 0, "left_out": 3, "state": "shed"},
      {"name": "slow", "optional": null, "demote": 4, "shed": 0, "demoted": 0, "left_out": 0, "state": "runs"}])"));
  EXPECT_TRUE(all["hard_budgets"].empty());
}

TEST_F(RunPoliciesTest, LinesThatWereLostAreCounted) {
  plan.escalation = {step(1, StepAction::count)};
  for (std::int64_t k = 0; k < 30'000; ++k) work[k] = 1500us;
  (void)run(30'000);
  const auto said = poll();
  ASSERT_EQ(said.size(), 1U);
  tactus::test::Snapshot().add(said[0]);
  EXPECT_THAT(poll(), IsEmpty());
}

}  // namespace
}  // namespace tactus::executive::run_policies_test
