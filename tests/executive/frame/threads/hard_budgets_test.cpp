// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/hard_budgets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "executive/capability/policy/policy_part.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::hard_budgets_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A job with a hard budget of 100 us, on a clock that is moved by hand.
class HardBudgetOfAJob : public ::testing::Test {
 protected:
  void SetUp() override {
    PlannedJob job;
    job.name = "m.step";
    job.hard_budget = 100us;
    job.on_hard_budget = StepAction::safe_state;
    job.self = &step;
    job.run = [](void* self, const tactus_call*) { return (*static_cast<std::function<int()>*>(self))(); };
    budgets.add(job, 7, clock);
    made = job;
  }
  int call(std::int64_t frame) {
    const tactus_call call{0, frame, 0};
    return made.run(made.self, &call);
  }
  void look() {
    budgets.look([this](StepAction action) { actions.push_back(action); });
  }
  const HardBudget& budget() { return budgets.all().front(); }

  std::int64_t now = 1'000'000;
  JobClock clock{false, [this] { return now; }};
  std::function<int()> step = [] { return 0; };
  HardBudgets budgets;
  PlannedJob made;
  std::vector<StepAction> actions;
};

TEST_F(HardBudgetOfAJob, IsExceededOnceFromTheMomentThatItIsNamed) {
  step = [&] {
    now += 100'001;
    EXPECT_EQ(budget().beyond(), 0) << "nobody has looked";
    look();
    EXPECT_EQ(budget().beyond(), 1) << "it still runs";
    return 0;
  };
  (void)call(3);
  EXPECT_EQ(budget().beyond(), 1);
  step = [&] {
    EXPECT_EQ(budget().beyond(), 1) << "of the call before";
    return 0;
  };
  (void)call(4);
  EXPECT_EQ(budget().beyond(), 1);
}

TEST_F(HardBudgetOfAJob, IsNamedOnceWhileTheCallStillRuns) {
  budgets.arm(true);
  HardBudgetNote note;
  step = [&] {
    look();
    now += 100'000;
    look();
    EXPECT_EQ(budget().named(), 0) << "100 us are within 100 us";
    now += 1;
    look();
    EXPECT_EQ(budget().named(), 1);
    EXPECT_EQ(budget().exceeded(), 0) << "it has not ended";
    EXPECT_TRUE(budgets.pop(note));
    now += 1'000'000;
    look();
    return 5;
  };
  EXPECT_EQ(call(42), 5);
  look();
  EXPECT_EQ(note.job, 7U);
  EXPECT_EQ(note.frame, 42);
  EXPECT_EQ(note.ran, 100'001ns);
  EXPECT_EQ(budget().exceeded(), 1);
  EXPECT_EQ(budget().named(), 1);
  EXPECT_FALSE(budgets.pop(note));
  EXPECT_THAT(actions, ElementsAre(StepAction::safe_state));
  step = [&] {
    now += 200'000;
    look();
    return 0;
  };
  (void)call(43);
  EXPECT_EQ(budget().named(), 2) << "the next call is another one";
}

TEST_F(HardBudgetOfAJob, ACallThatEndsBetweenTwoLooksIsCountedAllTheSame) {
  step = [&] { return now += 200'000, 0; };
  (void)call(0);
  look();
  EXPECT_EQ(budget().exceeded(), 1);
  EXPECT_EQ(budget().named(), 0);
}

TEST_F(HardBudgetOfAJob, ManyShortCallsAreNotOneLongOne) {
  step = [&] {
    now += 90'000;
    look();
    return 0;
  };
  for (int i = 0; i < 100; ++i) (void)call(i);
  EXPECT_EQ(budget().exceeded(), 0);
  EXPECT_EQ(budget().named(), 0);
}

TEST_F(HardBudgetOfAJob, OutsideOfRealTimeItIsNamedAndNothingElseHappens) {
  step = [&] {
    now += 200'000;
    look();
    return 0;
  };
  (void)call(0);
  EXPECT_EQ(budget().named(), 1);
  EXPECT_THAT(actions, IsEmpty());
}

TEST(HardBudget, AJobThatLoopsIsSeenByAnotherThread) {
  const JobClock clock(false, &JobClock::monotonic);
  HardBudgets budgets;
  PlannedJob job;
  job.hard_budget = 1ms;
  job.self = &budgets;
  job.run = [](void* self, const tactus_call*) {
    const HardBudget& own = static_cast<HardBudgets*>(self)->all().front();
    const auto end = std::chrono::steady_clock::now() + 120s;
    while (own.named() == 0)
      if (std::chrono::steady_clock::now() > end) return 1;
    return 0;
  };
  budgets.add(job, 0, clock);
  std::atomic<bool> over{false};
  std::thread watch([&] {
    while (!over.load()) {
      budgets.look([](StepAction) {});
      std::this_thread::sleep_for(250us);
    }
  });
  const tactus_call call{0, 3, 0};
  EXPECT_EQ(job.run(job.self, &call), 0) << "nobody named it for a minute";
  over.store(true);
  watch.join();
  EXPECT_EQ(budgets.all().front().exceeded(), 1);
  HardBudgetNote note;
  ASSERT_TRUE(budgets.pop(note));
  EXPECT_EQ(note.frame, 3);
  EXPECT_GT(note.ran, 1ms);
}

class HardBudgetOfARig : public ::testing::Test, public test::PlanFixture {
 protected:
  HardBudgetOfARig() {
    realtime.enabled = true;
    PlannedJob& bad = job("bad", TACTUS_SCHEDULED, [this](const tactus_call& call) {
      ++calls;
      if (call.frame == slow) clock.advance(300us);
      if (while_it_runs) while_it_runs(call.frame);
      return 0;
    });
    bad.hard_budget = 200us;
  }
  RunEnd run(StepAction action) {
    plan.jobs[0].on_hard_budget = action;
    make();
    PolicyPart part(*executive);
    executive->add(part);
    executive->restorer().prepare_reset();
    return PlanFixture::run(20);
  }
  /// Looks as the watchdog does. Returns the number of actions that it takes.
  int look() {
    int actions = 0;
    executive->program().hard_budgets().look([&](StepAction) { ++actions; });
    return actions;
  }
  int calls = 0;
  std::int64_t slow = 5;
  std::function<void(std::int64_t)> while_it_runs;
};

TEST_F(HardBudgetOfARig, DoesNothingInTheGraceThatBeginsAgainWithAReset) {
  realtime.overrun.grace = 3;
  slow = -1;
  int actions = 0;
  while_it_runs = [&](std::int64_t frame) {
    if (frame == 8 && slow < 0) {
      executive->request_reset();
      slow = 0;
    } else if (frame == slow) {
      actions += look();
    }
  };
  EXPECT_EQ(run(StepAction::terminate).outcome, Outcome::completed);
  EXPECT_EQ(executive->program().hard_budgets().all().front().named(), 1);
  EXPECT_EQ(actions, 0) << "the outputs would be safe for good, and the rig continues";
}

TEST_F(HardBudgetOfARig, DoesNothingInTheFirstFrameThatIsNotPaced) {
  slow = 6;
  int actions = 0;
  while_it_runs = [&](std::int64_t frame) {
    if (frame == 5) sync->disable();
    if (frame == 6) actions += look();
  };
  EXPECT_EQ(run(StepAction::terminate).outcome, Outcome::completed);
  EXPECT_EQ(executive->program().hard_budgets().all().front().named(), 1);
  EXPECT_EQ(actions, 0);
}

TEST_F(HardBudgetOfARig, WhatTheWatchdogHasBegunEndsTheRig) {
  realtime.overrun.grace = 10;
  int actions = 0;
  while_it_runs = [&](std::int64_t frame) {
    if (frame != slow) return;
    executive->program().hard_budgets().arm(true);
    actions += look();
  };
  EXPECT_EQ(run(StepAction::terminate).outcome, Outcome::overrun) << "its outputs are safe for good";
  EXPECT_EQ(actions, 1);
  EXPECT_EQ(calls, 6);
}

TEST_F(HardBudgetOfARig, CountGoesOn) {
  EXPECT_EQ(run(StepAction::count).outcome, Outcome::completed);
  EXPECT_EQ(executive->program().hard_budgets().all().front().exceeded(), 1);
}

TEST_F(HardBudgetOfARig, TerminateEndsItBeforeTheNextFrame) {
  const RunEnd end = run(StepAction::terminate);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason,
            "frame 5: job bad took more than its hard budget of 200 us, and its on_hard_budget says "
            "terminate");
  EXPECT_EQ(calls, 6);
}

TEST_F(HardBudgetOfARig, SafeStateFreezesAndEndsWhenItIsResumed) {
  sleeper.on_wait = [this](int wait) {
    if (wait == 15) executive->request_resume();
  };
  const RunEnd end = run(StepAction::safe_state);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(calls, 6);
}

TEST_F(HardBudgetOfARig, FreezeFreezesAtTheEndOfTheFrameAndEndsWhenItIsResumed) {
  sleeper.on_wait = [this](int wait) {
    if (wait == 15) executive->request_resume();
  };
  const RunEnd end = run(StepAction::freeze);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_NE(end.reason.find("its hard budget of 200 us, and its on_hard_budget says freeze"),
            std::string::npos)
      << end.reason;
  EXPECT_EQ(calls, 6);
}

TEST_F(HardBudgetOfARig, ARigWithoutOneCallsItsJobsAsTheyAre) {
  plan.jobs[0].hard_budget.reset();
  const tactus_job_function own = plan.jobs[0].run;
  make();
  EXPECT_EQ(executive->plan().jobs[0].run, own);
}

}  // namespace
}  // namespace tactus::executive::hard_budgets_test
