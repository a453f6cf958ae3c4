// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "executive/admission/budget_proposal.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::admission_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::Period;
using ::testing::IsEmpty;

/// A plan, and the settings that go with it, in real time.
struct Question {
  Plan plan;
  RigSettings settings;
  std::optional<MeasuredRun> run;

  Question() { settings.realtime.enabled.value = true; }
  PlannedJob& job(const std::string& name, std::optional<Nanoseconds> budget, Nanoseconds cycle,
                  std::size_t thread = 0) {
    PlannedJob made;
    made.name = name;
    made.cycle = Period(cycle);
    made.thread = thread;
    made.budget = budget;
    return plan.jobs.emplace_back(made);
  }
  void thread(const std::string& name, ThreadKind kind, Period period, std::vector<int> cpus = {},
              int priority = 80) {
    PlannedThread& made = plan.threads.emplace_back();
    made.name = name;
    made.kind = kind;
    made.period = period;
    WorkerSettings& worker = settings.threads.workers.emplace_back();
    worker.name = name;
    worker.cpus = std::move(cpus);
    worker.priority = priority;
  }
  Admission ask(MeasuredTime time = MeasuredTime::p99) const { return admit(plan, settings, run, time); }
};

TEST(Admission, APlanThatFitsIsAdmitted) {
  Question question;
  question.job("a", 400us, 1ms);
  question.job("b", 600us, 2ms);
  const Admission admission = question.ask();
  EXPECT_THAT(admission.unfit, IsEmpty());
  EXPECT_THAT(admission.remarks, IsEmpty());
  EXPECT_TRUE(admission.known());
}

TEST(Admission, AFrameThatIsTooLongIsNamedWithItsThreadAndByHowMuch) {
  Question question;
  question.job("a", 400us, 1ms);
  question.job("b", 700us, 5ms).first = Period(3ms);
  tactus::test::Snapshot().add(question.ask().unfit);
  question.plan.ratio = 0.5;
  EXPECT_THAT(question.ask().unfit, IsEmpty()) << "at half the speed there is twice the time";
}

TEST(Admission, OutsideOfRealTimeNothingIsRefused) {
  Question question;
  question.job("a", 5ms, 1ms);
  question.settings.realtime.enabled.value = false;
  EXPECT_THAT(question.ask().unfit, IsEmpty());
}

TEST(Admission, ThreadsThatFitAndWaitForEachOtherTooLong) {
  Question question;
  question.thread("road", ThreadKind::scheduled, {});
  question.job("a", 600us, 1ms);
  question.job("b", 700us, 1ms, 1).depends_on = {0};
  tactus::test::Snapshot().add(question.ask().unfit);
  question.plan.jobs[1].depends_on.clear();
  EXPECT_THAT(question.ask().unfit, IsEmpty());
}

TEST(Admission, APeriodThatMustFinishAndCannot) {
  tactus::test::Snapshot texts;
  Question question;
  question.thread("slow", ThreadKind::asynchronous_must_finish, Period(10ms));
  question.job("a", 3ms, 2500us, 1);
  texts.add(question.ask().unfit);
  question.plan.threads[0].kind = ThreadKind::asynchronous;
  const Admission admission = question.ask();
  EXPECT_THAT(admission.unfit, IsEmpty()) << "nobody waits for it";
  texts.add(admission.remarks);
}

TEST(Admission, AThreadMayNotNeedMoreThanItsBudget) {
  Question question;
  question.job("a", 500us, 1ms);
  question.plan.main_budget = 400us;
  tactus::test::Snapshot().add(question.ask().unfit);
}

TEST(Admission, OnOneCpuPrioritiesDecideWhoEndsInTime) {
  Question question;
  question.plan.frame = Period(1ms);
  question.settings.threads.main.cpus = {3};
  question.settings.threads.main.priority = 90;
  question.thread("quick", ThreadKind::asynchronous_must_finish, Period(2ms), {3}, 80);
  question.thread("slow", ThreadKind::asynchronous_must_finish, Period(10ms), {3}, 70);
  question.thread("alone", ThreadKind::asynchronous_must_finish, Period(10ms), {2}, 70);
  question.job("m", 400us, 1ms);
  question.job("q", 600us, 2ms, 1);
  question.job("s", 2ms, 10ms, 2);
  question.job("e", 9ms, 10ms, 3);
  Admission admission = question.ask();
  ASSERT_EQ(admission.cpus.size(), 1U);
  EXPECT_EQ(admission.cpus[0].cpu, 3);
  EXPECT_EQ(admission.cpus[0].responses[0].time, 400us);
  EXPECT_EQ(admission.cpus[0].responses[1].time, 1ms);
  EXPECT_EQ(admission.cpus[0].responses[2].time, 7600us) << "2 + 8 * 0.4 + 4 * 0.6";
  EXPECT_THAT(admission.unfit, IsEmpty());

  question.plan.jobs[2].budget = 4ms;
  admission = question.ask();
  tactus::test::Snapshot().add(admission.unfit);
}

TEST(Admission, AMeasuredTimeGoesBeforeABudgetAndAnUnknownOneIsNamed) {
  Question question;
  question.job("a", 900us, 1ms);
  question.job("b", 100us, 1ms);
  question.job("c", std::nullopt, 1ms);
  question.job("d", 1us, 1ms).enabled = false;
  question.run = MeasuredRun{"runs/x", {{"a", {5, 200us, 300us, 400us}}}};
  Admission admission = question.ask();
  EXPECT_EQ(admission.costs[0].takes, 200us);
  EXPECT_EQ(admission.costs[1].takes, 100us);
  EXPECT_EQ(admission.count(JobCost::Source::measured), 1U);
  EXPECT_EQ(admission.count(JobCost::Source::budget), 1U);
  EXPECT_EQ(admission.loads.longest.takes, 300us);
  tactus::test::Snapshot().add(admission.remarks);
  EXPECT_EQ(question.ask(MeasuredTime::max).loads.longest.takes, 500us);
}

TEST(Admission, WhereNotAllFramesWereLookedAtItSaysSoAndWhatNoneExceeds) {
  Question question;
  for (const int prime : {1009, 1013, 1019, 1021, 1031, 1033, 1039})
    question.job("j" + std::to_string(prime), 10us, std::chrono::microseconds(prime));
  tactus::test::Snapshot().add(question.ask().remarks);
}

TEST(Admission, WithoutAnyTimeNothingIsKnown) {
  Question question;
  question.job("a", std::nullopt, 1ms);
  EXPECT_FALSE(question.ask().known());
}

TEST(BudgetProposal, IsP9999TimesTheFactorOrTheMaximumOfFewCalls) {
  Question question;
  question.job("m.often", std::nullopt, 1ms);
  question.job("m.seldom", std::nullopt, 1ms);
  question.job("m.never", std::nullopt, 1ms);
  question.job("n.step", std::nullopt, 1ms);
  question.job("record.r", std::nullopt, 1ms).recording = true;
  question.plan.loops.push_back({"l", {}, Period(1ms), {}, 0});
  const MeasuredRun run{"x",
                        {{"m.often", {10'000, 5us, 20us, 400us}},
                         {"m.seldom", {9'999, 5us, 20us, 400us}},
                         {"n.step", {10'000, 1ns, 1ns, 1ns}},
                         {"record.r", {10'000, 5us, 12'345ns, 400us}},
                         {"integrate.l", {10'000, 5us, 1'234'567ns, 4ms}},
                         {"gone.step", {10'000, 5us, 20us, 400us}}}};
  EXPECT_EQ(budgets_yaml(propose_budgets(question.plan, run, 1.5)),
            "models:\n"
            "  m:\n"
            "    jobs:\n"
            "      often: { budget: 30 us }  # p99.99 20.0 us of 10000 calls\n"
            "      seldom: { budget: 600 us }  # max 400 us of 9999 calls\n"
            "  n:\n"
            "    jobs:\n"
            "      step: { budget: 2 ns }  # p99.99 1 ns of 10000 calls\n"
            "integrate:\n"
            "  l: { budget: 1860 us }  # p99.99 1.23 ms of 10000 calls\n"
            "record:\n"
            "  r: { budget: 18600 ns }  # p99.99 12.3 us of 10000 calls\n");
}

}  // namespace
}  // namespace tactus::executive::admission_test
