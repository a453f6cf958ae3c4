// SPDX-License-Identifier: Apache-2.0
/// `escalation:`, `optional:` and `demote:` in a rig file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::policies_test {
namespace {

using namespace std::chrono_literals;
using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kShed = "realtime: { enabled: yes, escalation: [{ after: 3, within: 1 s, do: shed }] }\n";

std::string rig(const std::string& job, const std::string& more = "", const std::string& model = "") {
  return kHead + "  m: { model: gain, library: ./libmodels.so, " + model + "jobs: { step: " + job + " } }\n" +
         more;
}

TEST(PolicySettings, AreTakenIntoThePlan) {
  const LoadedRig made(
      rig("{ budget: 40 us, optional: 2, demote: 4, escalation: [{ do: demote }] }",
          "threads: { main: { budget: 900 us, escalation: [{ after: 5, within: 10 ms, do: freeze }] } }\n"
          "record: { r: { variables: [m.*, policy.*], optional: 1 } }\n"
          "realtime: { enabled: yes, restore_after: 50 frames, escalation: [{ after: 3, do: shed }, "
          "{ after: 10, do: safe_state }] }\n"));
  const Plan& plan = made.plan();
  using Steps = std::vector<EscalationStep>;
  EXPECT_EQ(plan.escalation, (Steps{{3, 1s, StepAction::shed}, {10, 1s, StepAction::safe_state}}));
  EXPECT_EQ(plan.main_escalation, (Steps{{5, 10ms, StepAction::freeze}}));
  EXPECT_EQ(plan.restore_after, 50);
  for (const PlannedJob& job : plan.jobs) {
    const bool step = job.name == "m.step";
    EXPECT_EQ(job.escalation, (step ? Steps{{1, 1s, StepAction::demote}} : Steps{})) << job.name;
    EXPECT_EQ(job.demoted_to, step ? 4 : 1) << job.name;
    EXPECT_EQ(job.optional.value_or(0), step ? 2 : job.name == "record.r" ? 1 : 0) << job.name;
  }
  const std::deque<Variable>& variables = *made.executive_variables().back();
  ASSERT_EQ(variables.size(), 6U);
  EXPECT_EQ(variables[0].name, "policy.shed");
  EXPECT_EQ(variables[4].name, "policy.jobs.m.step");
  EXPECT_EQ(variables[5].name, "policy.jobs.record.r");
}

TEST(PolicySettings, OfTheRigMayBeAnotherOnOverrun) {
  const LoadedRig made(rig("{ }",
                           "realtime: { on_overrun: catch_up, escalation: [{ after: 3, do: skip }, "
                           "{ after: 9, do: reanchor }] }\n"));
  EXPECT_EQ(made.plan().escalation,
            (std::vector<EscalationStep>{{3, 1s, StepAction::skip}, {9, 1s, StepAction::reanchor}}));
}

TEST(PolicySettings, StepsCanBeWrittenInShort) {
  using Steps = std::vector<EscalationStep>;
  const Steps both{{3, 1s, StepAction::shed}, {10, 500ms, StepAction::safe_state}};
  const struct {
    std::string escalation;
    Steps steps;
  } rows[] = {
      {"{ 3 in 1 s: shed, 10 in 500 ms: safe_state }", both},
      {"[{ 3 in 1 s: shed }, { 10 in 500 ms: safe_state }]", both},
      {"[3 in 1 s: shed, { after: 10, within: 500 ms, do: safe_state }]", both},
      {"'3 in 1 s: shed; 10 in 500 ms: safe_state'", both},
      {"'3 in 1 s: shed;10 in 500 ms : safe_state ; '", both},
      {"['3 in 1 s: shed', { 10  in  500 ms: safe_state }]", both},
      {"{ after: 3, within: 1 s, do: shed }", {{3, 1s, StepAction::shed}}},
      {"\n    3 in 1 s: shed\n    10 in 500 ms: safe_state", both},
      {"\n    - 3 in 1 s: shed\n    - 10 in 500 ms: safe_state", both},
      {"\n    - 3 in 1 s: shed\n      10 in 500 ms: safe_state", both},
      {"{ }", {}},
      {"[]", {}},
  };
  for (const auto& row : rows) {
    const LoadedRig made(rig(row.steps.empty() ? "{ }" : "{ optional: 1 }",
                             "realtime:\n  enabled: yes\n  escalation: " + row.escalation + "\n"));
    EXPECT_EQ(made.plan().escalation, row.steps) << row.escalation;
  }
}

TEST(PolicySettings, SayWhatIsWrongWithAShortStep) {
  const struct {
    std::string escalation;
    std::string problem;
  } rows[] = {
      {"{ 3 within 1 s: count }", "6:27: realtime.escalation: '3 within 1 s'"},
      {"{ 3 in 1 s: coun }", "6:37: realtime.escalation[0].do: 'coun'"},
      {"{ 0 in 1 s: count }", "6:27: realtime.escalation[0].after: "},
      {"{ 3 in 2 h: count }", "6:27: realtime.escalation[0].within: '2 h'"},
      {"{ 3 in 1: count }", "6:27: realtime.escalation[0].within: '1'"},
      {"{ three in 1 s: count }", "6:27: realtime.escalation[0].after: 'three'"},
      {"{ 3 in 1 s: }", "6:27: realtime.escalation[0].do: "},
      {"{ 3 in 1 s: [count] }", "6:37: realtime.escalation[0].do: "},
      {"{ 3 in 1 s: count, do: count }", "6:27: realtime.escalation[0].3 in 1 s: "},
      {"count", "6:25: realtime.escalation: 'count'"},
      {"'3 in 1 s'", "6:25: realtime.escalation: '3 in 1 s'"},
      {"'3 in 1 s: count, 10 in 1 s: freeze'", "6:25: realtime.escalation[0].do: 'count, 10 in 1 s: freeze'"},
      {"''", "6:25: realtime.escalation: ''"},
      {"", "6:13: realtime.escalation: "},
      {"[[3 in 1 s: count]]", "6:26: realtime.escalation[0]: "},
      {"{ 20 in 10 ms: count }", "6:27: realtime.escalation[0]: "},
  };
  for (const auto& row : rows)
    EXPECT_THAT(problems_of(rig("{ }", "realtime: { escalation: " + row.escalation + " }\n")),
                ElementsAre(StartsWith(row.problem)))
        << row.escalation;
}

TEST(PolicySettings, WithoutAnyThereIsNothing) {
  const LoadedRig made(rig("{ budget: 40 us }"));
  EXPECT_THAT(made.plan().escalation, IsEmpty());
  EXPECT_EQ(made.executive_variables().size(), 1U) << "rt alone";
  EXPECT_THAT(problems_of(rig("{ }", "record: { r: { variables: [policy.shed] } }\n")),
              ElementsAre(StartsWith("6:28: record.r.variables[0]: 'policy.shed'")));
}

TEST(PolicySettings, WhatCannotBeOrHasNoEffectIsRefusedWithItsPlace) {
  const struct {
    std::string text;
    std::string problem;
  } rows[] = {
      {rig("{ escalation: [{ do: count }] }"), "5:75: models.m.jobs.step.escalation[0]: "},
      {rig("{ budget: 1 us, escalation: [{ do: count }] }", "job_times: no\n"),
       "5:89: models.m.jobs.step.escalation[0]: "},
      {rig("{ budget: 1 us, escalation: [{ do: shed }] }"), "5:89: models.m.jobs.step.escalation[0]: "},
      {rig("{ }", kShed), "6:40: realtime.escalation[0]: "},
      {rig("{ optional: 1 }"), "5:72: models.m.jobs.step.optional: "},
      {rig("{ demote: 4 }", "realtime: { escalation: [{ do: count }] }\n"),
       "5:70: models.m.jobs.step.demote: "},
      {rig("{ demote: 4, cycle: 200 us }", "realtime: { escalation: [{ do: count }] }\n"),
       "5:70: models.m.jobs.step.demote: "},
      {rig("{ }", "realtime: { escalation: [{ after: 20, within: 10 ms, do: count }] }\n"),
       "6:26: realtime.escalation[0]: "},
      {rig("{ budget: 1 us, escalation: [{ do: skip }] }"), "5:89: models.m.jobs.step.escalation[0]: "},
      {rig("{ }", "threads: { main: { budget: 1 ms, escalation: [{ do: reanchor }] } }\n"),
       "6:47: threads.main.escalation[0]: "},
      {rig("{ }", "realtime: { on_overrun: skip, escalation: [{ do: skip }] }\n"),
       "6:44: realtime.escalation[0]: "},
      {rig("{ }", "realtime: { escalation: [{ after: 0, do: count }] }\n"),
       "6:35: realtime.escalation[0].after: "},
      {rig("{ }", "realtime: { escalation: [{ after: 3 }] }\n"),
       "6:26: realtime.escalation[0]: missing key 'do'"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(problems_of(row.text), ElementsAre(StartsWith(row.problem))) << row.text;
}

TEST(PolicySettings, AHardBudgetIsOfAJobOfFramesAndNotBelowItsBudget) {
  const LoadedRig made(rig("{ budget: 40 us, hard_budget: 5 ms, on_hard_budget: terminate }"));
  for (const PlannedJob& job : made.plan().jobs) {
    EXPECT_EQ(job.hard_budget.has_value(), job.name == "m.step") << job.name;
    if (job.hard_budget) {
      EXPECT_EQ(*job.hard_budget, 5ms);
      EXPECT_EQ(job.on_hard_budget, StepAction::terminate);
    }
  }
  EXPECT_THAT(problems_of(rig("{ budget: 40 us, hard_budget: 20 us }")),
              ElementsAre(StartsWith("5:90: models.m.jobs.step.hard_budget: ")));
  EXPECT_THAT(problems_of(rig("{ hard_budget: 1 ms, on_hard_budget: freeze }")), IsEmpty());
  EXPECT_THAT(problems_of(rig("{ hard_budget: 2 s }")), IsEmpty());
  EXPECT_THAT(problems_of(rig("{ hard_budget: 26 ms }", "threads: { stuck_after: 8 ms }\n")),
              ElementsAre(StartsWith("5:75: models.m.jobs.step.hard_budget: ")));
  EXPECT_THAT(problems_of(rig("{ hard_budget: 25 ms }", "threads: { stuck_after: 8 ms }\n")), IsEmpty());
  EXPECT_THAT(
      problems_of(rig("{ hard_budget: 4 ms }", "threads: { stuck_after: 8 ms }\n", "isolated: yes, ")),
      ElementsAre(StartsWith("5:90: models.m.jobs.step.hard_budget: ")));
  const std::string slow =
      "threads: { stuck_after: 8 ms, workers: { w: { kind: asynchronous, period: 1 s } } }\n";
  EXPECT_THAT(problems_of(rig("{ hard_budget: 900 ms }", slow, "thread: w, ")), IsEmpty());
  EXPECT_THAT(problems_of(rig("{ hard_budget: 1010 ms }", slow, "thread: w, ")), SizeIs(1));
  const auto shed = problems_of(rig("{ hard_budget: 1 ms, on_hard_budget: shed }"));
  ASSERT_EQ(shed.size(), 1U);
  EXPECT_NE(shed[0].find("models.m.jobs.step.on_hard_budget: "), std::string::npos);
  EXPECT_THAT(problems_of(rig("{ on_hard_budget: terminate }")),
              ElementsAre(StartsWith("5:78: models.m.jobs.step.on_hard_budget: ")));
  const auto never = problems_of(kHead +
                                 "  m: { model: gain, library: ./libmodels.so, jobs: { initialize: { "
                                 "hard_budget: 1 ms } } }\n");
  ASSERT_EQ(never.size(), 1U);
  EXPECT_NE(never[0].find("is of class initialization; only jobs that frames call have one"),
            std::string::npos);
}

TEST(PolicySettings, OnlyCyclicJobsOfMainAndScheduledThreadsAreLeftOut) {
  const auto shed = [](const std::string& job, const std::string& worker) {
    return kHead + "  n: { model: gain, library: ./libmodels.so, jobs: { step: { optional: 1 } } }\n" +
           "  m: { model: gain, library: ./libmodels.so, thread: w, jobs: { " + job +
           ": { optional: 1 } } }\n" + "threads: { workers: { w: " + worker + " } }\n" + kShed;
  };
  EXPECT_THAT(problems_of(shed("step", "{ kind: scheduled }")), IsEmpty());
  EXPECT_THAT(problems_of(shed("step", "{ kind: asynchronous }")),
              ElementsAre(StartsWith("6:83: models.m.jobs.step.optional: ")));
  EXPECT_THAT(problems_of(shed("initialize", "{ kind: scheduled }")),
              ElementsAre(StartsWith("6:89: models.m.jobs.initialize.optional: ")));
}

TEST(PolicySettings, AModelCannotBeCalledPolicy) {
  const auto problems = problems_of(kHead + "  policy: { model: gain, library: ./libmodels.so }\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].starts_with("5:11: models.policy: ")) << problems[0];
}

}  // namespace
}  // namespace tactus::executive::policies_test
