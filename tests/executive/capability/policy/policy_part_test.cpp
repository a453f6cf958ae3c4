// SPDX-License-Identifier: Apache-2.0
/// What escalations do, on simulated time.
#include "executive/capability/policy/policy_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::policy_part_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr StepAction kActions[] = {StepAction::count, StepAction::shed,     StepAction::demote,
                                   StepAction::skip,  StepAction::catch_up, StepAction::reanchor};

EscalationStep step(std::int64_t after, StepAction action, Nanoseconds within = 1s) {
  return {after, within, action};
}

/// A rig whose first job takes what a script says, and books on the budgets of others what it says.
class PolicyFixture : public PlanFixture {
 public:
  PolicyFixture() {
    realtime.enabled = true;
    realtime.overrun.on_overrun = rtsync::OnOverrun::reanchor;
    job("load", TACTUS_TOP_OF_FRAME, [this](const tactus_call& call) {
      const auto takes = work.find(call.frame);
      clock.advance(takes == work.end() ? 100us : takes->second);
      for (auto [at, end] = over.equal_range(call.frame); at != end; ++at) {
        JobBudgets& budgets = executive->program().budgets();
        budgets.book(budgets.job(executive->program().find(at->second)), call.frame, 1ms);
      }
      return 0;
    });
  }
  /// One that writes down when it is called.
  PlannedJob& traced(const std::string& name) {
    return job(name, TACTUS_SCHEDULED, [this, name](const tactus_call& call) {
      calls[name].emplace_back(call.frame, call.dt);
      return 0;
    });
  }
  PolicyPart& prepare() {
    make();
    part = std::make_unique<PolicyPart>(*executive);
    executive->add(*part);
    return *part;
  }
  RunEnd run(std::int64_t frames) {
    if (!part) prepare();
    return PlanFixture::run(frames);
  }
  std::vector<std::int64_t> frames_of(const std::string& name) {
    std::vector<std::int64_t> frames;
    for (const auto& [frame, dt] : calls[name]) frames.push_back(frame);
    return frames;
  }
  /// "5 rig/0 view", "8 back view".
  std::vector<std::string> notes() {
    std::vector<std::string> lines;
    for (PolicyNote note; part->pop(note);)
      lines.push_back(std::to_string(note.frame) + " " +
                      (note.watched == PolicyNote::kNoStep
                           ? "back"
                           : std::to_string(note.watched) + "/" + std::to_string(note.step)) +
                      (note.job == kNoPlanJob ? "" : " " + plan.jobs[note.job].name) +
                      (note.jobs > 1 ? "+" + std::to_string(note.jobs - 1) : ""));
    return lines;
  }

  std::map<std::int64_t, Nanoseconds> work;       // by frame
  std::multimap<std::int64_t, std::string> over;  // jobs that are over their budgets, by frame
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> calls;
  std::unique_ptr<PolicyPart> part;
};

class Policies : public ::testing::Test, public PolicyFixture {};

TEST_F(Policies, ShedLeavesOptionalJobsOutByTheirOrderAndTheyComeBackTheOtherWay) {
  traced("plant");
  traced("view").optional = 1;
  traced("log").optional = 2;
  traced("stats").optional = 1;
  plan.escalation = {step(2, StepAction::shed)};
  plan.restore_after = 3;
  for (const std::int64_t k : {2, 4, 6, 7}) work[k] = 1500us;
  EXPECT_EQ(run(20).outcome, Outcome::completed);
  EXPECT_EQ(frames_of("plant").size(), 20U);
  EXPECT_THAT(frames_of("log"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19));
  EXPECT_THAT(frames_of("view"), ElementsAre(0, 1, 2, 3, 4, 14, 15, 16, 17, 18, 19));
  EXPECT_EQ(frames_of("stats"), frames_of("view"));
  EXPECT_THAT(notes(), ElementsAre("4 0/0 view+1", "7 0/0 log", "10 back log", "13 back view+1"));
  const JobRelief& relief = executive->program().relief();
  const std::uint32_t view = executive->program().find("view");
  EXPECT_EQ(relief.left_out(view), 9);
  EXPECT_EQ(relief.times_shed(view), 1);
  EXPECT_EQ(relief.of(view), JobRelief::State::runs);
}

TEST_F(Policies, NothingIsShedTwice) {
  traced("view").optional = 1;
  plan.escalation = {step(1, StepAction::shed)};
  for (std::int64_t k = 0; k < 5; ++k) work[k] = 2ms;
  (void)run(5);
  EXPECT_THAT(frames_of("view"), ElementsAre(0));
  EXPECT_THAT(notes(), ElementsAre("0 0/0 view", "1 0/0", "2 0/0", "3 0/0", "4 0/0"));
}

TEST_F(Policies, ADemotedJobKeepsEachKthCallAndIsToldSo) {
  PlannedJob& view = traced("view");
  view.demoted_to = 4;
  view.escalation = {step(1, StepAction::demote)};
  traced("plant");
  plan.restore_after = 5;
  over.emplace(2, "view");
  (void)run(16);
  using Calls = std::vector<std::pair<std::int64_t, double>>;
  const Calls expected{{0, .001},  {1, .001},  {2, .001},  {6, .004},  {10, .004},
                       {11, .001}, {12, .001}, {13, .001}, {14, .001}, {15, .001}};
  EXPECT_EQ(calls["view"], expected) << "back after a call that was kept, so that dt is always true";
  for (const auto& [frame, dt] : calls["plant"]) EXPECT_EQ(dt, .001) << "of another job of the same times";
  EXPECT_EQ(executive->program().relief().left_out(executive->program().find("view")), 6);
}

TEST_F(Policies, ADemotedJobThatStillTakesTooLongStaysDemoted) {
  PlannedJob& view = traced("view");
  view.demoted_to = 4;
  view.escalation = {step(1, StepAction::demote)};
  plan.restore_after = 5;
  for (const std::int64_t k : {2, 6, 10, 14, 18}) over.emplace(k, "view");
  (void)run(20);
  EXPECT_THAT(frames_of("view"), ElementsAre(0, 1, 2, 6, 10, 14, 18));
}

TEST_F(Policies, AJobComesBackOnlyWhenItsBudgetFitsTheSlack) {
  PlannedJob& view = traced("view");
  view.optional = 1;
  view.budget = 300us;
  plan.escalation = {step(1, StepAction::shed)};
  plan.restore_after = 3;
  work[2] = 1200us;
  for (std::int64_t k = 3; k < 10; ++k) work[k] = 701us;  // 299 us are left
  for (std::int64_t k = 10; k < 20; ++k) work[k] = 700us;
  (void)run(20);
  EXPECT_THAT(frames_of("view"), ElementsAre(0, 1, 2, 13, 14, 15, 16, 17, 18, 19));
}

TEST_F(Policies, WhatCameBackTooEarlyWaitsTwiceAsLong) {
  traced("view").optional = 1;
  plan.escalation = {step(1, StepAction::shed)};
  plan.restore_after = 2;
  for (const std::int64_t k : {0, 3, 9, 40}) work[k] = 2ms;
  (void)run(50);
  // Back after 2 frames; after 4, as it had lasted one frame; after 8; and after 2 again, as it had lasted.
  EXPECT_THAT(notes(), ElementsAre("0 0/0 view", "2 back view", "3 0/0 view", "7 back view", "9 0/0 view",
                                   "17 back view", "40 0/0 view", "42 back view"));
}

TEST_F(Policies, GraceAndFramesThatAreNotPacedTakeNoStep) {
  traced("view").optional = 1;
  plan.escalation = {step(1, StepAction::shed)};
  realtime.overrun.grace = 5;
  for (std::int64_t k = 0; k < 5; ++k) work[k] = 2ms;
  (void)run(8);
  EXPECT_EQ(frames_of("view").size(), 8U);
  PolicyFixture unpaced;
  unpaced.realtime.enabled = false;
  PlannedJob& view = unpaced.traced("view");
  view.optional = 1;
  view.escalation = {step(1, StepAction::shed)};
  for (std::int64_t k = 0; k < 8; ++k) unpaced.over.emplace(k, "view");
  (void)unpaced.run(8);
  EXPECT_EQ(unpaced.frames_of("view").size(), 8U) << "the same results with and without real time";
}

TEST_F(Policies, EachStepHasItsOwnWindowAndTheLastOneEndsTheRig) {
  traced("view").optional = 1;
  plan.escalation = {step(3, StepAction::shed, 10ms), step(5, StepAction::terminate, 20ms)};
  for (const std::int64_t k : {0, 20, 40, 42, 44, 46, 48}) work[k] = 2ms;
  const RunEnd end = run(100);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason, "frame 48: frames overran 5 times within 20.0 ms, and its escalation says terminate");
  EXPECT_EQ(end.frames, 49);
  EXPECT_EQ(executive->totals().overruns, 7U) << "frame 49 was not run";
  EXPECT_THAT(notes(), ElementsAre("44 0/0 view", "48 0/1"));
}

TEST_F(Policies, AStepThatEndsTheRigDoesSoInItsLastFrameToo) {
  plan.escalation = {step(1, StepAction::terminate)};
  work[3] = 2ms;
  const RunEnd end = run(4);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason, "frame 3: frames overran once within 1.00 s, and its escalation says terminate");
  EXPECT_EQ(end.frames, 4);
}

TEST_F(Policies, AStepThatEndsTheRigIsTheReasonAlsoIfAStopArrivesInItsFrame) {
  plan.escalation = {step(1, StepAction::terminate)};
  work[3] = 2ms;
  job("stop", TACTUS_END_OF_FRAME, [this](const tactus_call& call) {
    if (call.frame == 3) executive->request_stop("enough");
    return 0;
  });
  const RunEnd end = run(10);
  EXPECT_EQ(end.outcome, Outcome::overrun) << end.reason;
  EXPECT_EQ(end.frames, 4);
}

TEST_F(Policies, AStepThatFreezesTheRigInItsLastFrameEndsItWhenItIsResumed) {
  for (const StepAction action : {StepAction::freeze, StepAction::safe_state}) {
    PolicyFixture fixture;
    fixture.plan.escalation = {step(1, action)};
    fixture.work[3] = 2ms;
    fixture.prepare();
    State seen = State::connect;
    fixture.sleeper.on_wait = [&](int wait) {
      if (wait != 10) return;
      seen = fixture.executive->status().state();
      fixture.executive->request_resume();
    };
    const RunEnd end = fixture.run(4);
    EXPECT_EQ(seen, State::pause) << name_of(action);
    EXPECT_EQ(end.outcome, Outcome::overrun) << name_of(action);
    EXPECT_EQ(end.reason, "frame 3: frames overran once within 1.00 s, and its escalation says " +
                              std::string(name_of(action)));
    EXPECT_EQ(end.frames, 4);
  }
}

TEST_F(Policies, ARigThatAStepHasFrozenAndThatIsStoppedEndsForWhatFrozeIt) {
  plan.escalation = {step(1, StepAction::freeze)};
  work[3] = 2ms;
  prepare();
  sleeper.on_wait = [&](int wait) {
    if (wait == 10) executive->request_stop("enough");
  };
  const RunEnd end = run(20);
  EXPECT_EQ(end.outcome, Outcome::overrun) << end.reason;
  EXPECT_EQ(end.reason, "frame 3: frames overran once within 1.00 s, and its escalation says freeze");
  EXPECT_EQ(end.frames, 4);
}

/// In whatever order they stand.
TEST(PoliciesOfOneFrame, ThatEndTheRigWinOverThoseThatFreezeIt) {
  for (const bool freezes_first : {true, false}) {
    PolicyFixture fixture;
    fixture.traced("view");
    fixture.plan.escalation = {step(1, freezes_first ? StepAction::freeze : StepAction::terminate),
                               step(1, freezes_first ? StepAction::terminate : StepAction::freeze)};
    fixture.work[3] = 2ms;
    const RunEnd end = fixture.run(10);
    EXPECT_EQ(end.outcome, Outcome::overrun) << freezes_first;
    EXPECT_EQ(end.reason, "frame 3: frames overran once within 1.00 s, and its escalation says terminate")
        << freezes_first;
    EXPECT_EQ(end.frames, 4);
  }
}

TEST_F(Policies, OverrunsDoWhatTheStepSaysUntilThereIsRoomAgain) {
  using rtsync::OnOverrun;
  const struct {
    OnOverrun own;
    StepAction step;
    std::int64_t lost, reanchored, overruns;  // frames 0, 4 and 30 take 3.5 ms
  } rows[] = {
      {OnOverrun::catch_up, StepAction::skip, 3, 0, 3 + 1 + 3},
      {OnOverrun::catch_up, StepAction::reanchor, 2, 1, 3 + 1 + 3},
      {OnOverrun::skip, StepAction::catch_up, 3 + 3, 0, 1 + 3 + 1},
      {OnOverrun::skip, StepAction::reanchor, 3 + 2 + 3, 1, 1 + 1 + 1},
      {OnOverrun::reanchor, StepAction::skip, 2 + 3 + 2, 2, 1 + 1 + 1},
      {OnOverrun::reanchor, StepAction::catch_up, 2 + 2, 2, 1 + 3 + 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(name_of(row.own)) + ", then " + std::string(name_of(row.step)));
    PolicyFixture rig;
    rig.realtime.overrun.on_overrun = row.own;
    rig.plan.restore_after = 5;
    rig.plan.escalation = {step(row.own == OnOverrun::catch_up ? 3 : 1, row.step, 20ms)};
    for (const std::int64_t k : {0, 4, 30}) rig.work[k] = 3500us;
    ASSERT_EQ(rig.run(40).outcome, Outcome::completed);
    const rtsync::RealtimeTotals totals = rig.executive->totals();
    EXPECT_EQ(totals.overruns, row.overruns);
    EXPECT_EQ(totals.lost, row.lost);
    EXPECT_EQ(totals.reanchored, row.reanchored);
    EXPECT_EQ(rig.part->own_on_overrun(), row.own);
  }
}

TEST_F(Policies, TheRigsOwnOnOverrunComesBackBetweenTheJobsInTheOrderOfTheSteps) {
  traced("view").optional = 1;
  traced("log").optional = 2;
  plan.escalation = {step(1, StepAction::shed), step(2, StepAction::skip)};
  plan.restore_after = 3;
  for (const std::int64_t k : {2, 4}) work[k] = 1500us;  // view; log, then skip
  EXPECT_EQ(run(20).outcome, Outcome::completed);
  EXPECT_THAT(notes(),
              ElementsAre("2 0/0 view", "4 0/0 log", "4 0/1", "7 back", "10 back log", "13 back view"));
  EXPECT_EQ(part->on_overrun(), rtsync::OnOverrun::reanchor);
}

TEST_F(Policies, AStepThatSaysWhatHoldsAlreadyDelaysNothing) {
  plan.escalation = {step(1, StepAction::skip)};
  plan.restore_after = 2;
  for (const std::int64_t k : {0, 1, 2, 10}) work[k] = 1500us;
  (void)run(20);
  EXPECT_THAT(notes(), ElementsAre("0 0/0", "1 0/0", "2 0/0", "4 back", "10 0/0", "12 back"));
}

TEST_F(Policies, AResetBringsTheRigsOwnOnOverrunBack) {
  plan.escalation = {step(1, StepAction::skip)};
  work[2] = 2ms;
  prepare();
  executive->restorer().prepare_reset();
  std::vector<rtsync::OnOverrun> seen;
  sleeper.on_wait = [&](int wait) {
    seen.push_back(executive->on_overrun());
    if (wait == 6) executive->request_reset();
    if (wait == 6) work.clear();
  };
  (void)run(4 + 6);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), rtsync::OnOverrun::skip) > 0, true);
  EXPECT_EQ(executive->on_overrun(), rtsync::OnOverrun::reanchor);
}

class Output final : public SafeOutput {
 public:
  bool drive_safe() TACTUS_RT override { return ++safe > 0; }
  int safe = 0;
};

TEST_F(Policies, SafeStateDrivesTheOutputsAndFreezesAndAResumeEndsTheRig) {
  Output output;
  plan.safe_outputs.push_back(&output);
  PlannedJob& view = traced("view");
  view.escalation = {step(1, StepAction::safe_state)};
  over.emplace(3, "view");
  std::vector<int> safe;
  sleeper.on_wait = [&](int wait) {
    safe.push_back(output.safe);
    if (wait == 10) executive->request_resume();
  };
  const RunEnd end = run(30);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason,
            "frame 3: job view took more than its budget once within 1.00 s, and its escalation says "
            "safe_state");
  EXPECT_THAT(frames_of("view"), ElementsAre(0, 1, 2, 3));
  ASSERT_GT(safe.size(), 5U);
  EXPECT_EQ(safe[2], 0);
  EXPECT_EQ(safe[4], 1) << "while it is frozen";
}

TEST_F(Policies, ARigThatAStepHasFrozenGoesOnAfterAReset) {
  PlannedJob& view = traced("view");
  view.escalation = {step(1, StepAction::freeze)};
  over.emplace(3, "view");
  prepare();
  executive->restorer().prepare_reset();
  sleeper.on_wait = [&](int wait) {
    if (wait == 10) over.clear();
    if (wait == 10) executive->request_reset();
    if (wait == 15) executive->request_resume();
  };
  const RunEnd end = run(8);
  EXPECT_EQ(end.outcome, Outcome::completed) << end.reason;
  EXPECT_THAT(frames_of("view"), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Policies, AThreadShedsAndDemotesItsOwnJobsAlone) {
  plan.threads.emplace_back().name = "w";
  plan.threads[0].escalation = {step(1, StepAction::shed), step(2, StepAction::demote)};
  plan.main_escalation = {step(1, StepAction::count)};
  traced("view").optional = 1;
  PlannedJob& draw = traced("draw");
  draw.optional = 2;
  draw.thread = 1;
  for (const char* const name : {"slow", "slower"}) {
    PlannedJob& job = traced(name);
    job.demoted_to = 10;
    job.thread = name == std::string("slower") ? 1 : 0;
  }
  job("books", TACTUS_END_OF_FRAME, [this](const tactus_call& call) {
    JobBudgets& budgets = executive->program().budgets();
    if (call.frame == 2 || call.frame == 3) budgets.book(budgets.thread(1), call.frame, 1ms);
    if (call.frame == 5) budgets.book(budgets.thread(0), call.frame, 1ms);
    return 0;
  });
  (void)run(9);
  EXPECT_EQ(frames_of("view").size(), 9U);
  EXPECT_EQ(frames_of("slow").size(), 9U);
  EXPECT_THAT(frames_of("draw"), ElementsAre(0, 1, 2));
  EXPECT_THAT(frames_of("slower"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(notes(), ElementsAre("2 1/0 draw", "3 1/0", "3 1/1 slower", "5 0/0"));
}

TEST_F(Policies, AResetLetsAllJobsRunAgain) {
  traced("view").optional = 1;
  plan.escalation = {step(1, StepAction::shed)};
  work[2] = 2ms;
  prepare();
  executive->restorer().prepare_reset();
  sleeper.on_wait = [this](int wait) {
    if (wait == 6) executive->request_reset();
    if (wait == 6) work.clear();
  };
  (void)run(4 + 6);
  const auto frames = frames_of("view");
  ASSERT_GE(frames.size(), 6U);
  EXPECT_EQ(frames[3], 0) << "after the reset";
  EXPECT_EQ(executive->program().relief().of(executive->program().find("view")), JobRelief::State::runs);
}

TEST(PoliciesRt, NeverTouchTheHeapWhateverIsShedAndComesBack) {
  if (!rtsync::HeapWatch::available()) GTEST_SKIP() << "this build does not count heap calls";
  PlanFixture rig;
  rig.realtime.enabled = true;
  rig.realtime.overrun.on_overrun = rtsync::OnOverrun::skip;
  const rtsync::HeapWatch heap;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int calls = 0;
  rig.job("load", TACTUS_TOP_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 0) first = heap.calls();
    last = heap.calls();
    if (call.frame % 40 < 10) rig.clock.advance(1500us);
    JobBudgets& budgets = rig.executive->program().budgets();
    if (call.frame % 30 < 3) budgets.book(budgets.job(1), call.frame, 1ms);
    return 0;
  });
  for (int i = 0; i < 150; ++i) {
    PlannedJob& job =
        rig.job("j" + std::to_string(i), TACTUS_SCHEDULED, [&](const tactus_call&) { return ++calls, 0; });
    job.optional = 1 + i / 20;
    if (i % 3 == 0) job.demoted_to = 3;
    if (i == 0) job.escalation = {step(2, StepAction::demote)};
    if (i == 1) job.hard_budget = 1us;
  }
  rig.plan.escalation = {step(1, StepAction::shed), step(4, StepAction::demote), step(2, StepAction::count),
                         step(3, StepAction::reanchor), step(5, StepAction::catch_up)};
  rig.plan.restore_after = 3;
  rig.make();
  PolicyPart part(*rig.executive);
  rig.executive->add(part);
  rig.executive->run_initialization();
  EXPECT_EQ(rig.executive->run(5000).outcome, Outcome::completed);
  EXPECT_EQ(last, first);
  EXPECT_LT(calls, 5000 * 150);
  EXPECT_GT(part.notes_lost(), 0U) << "more notes than fit";
}

/// The same rules, written down again without any cleverness.
struct Reference {
  struct Job {
    std::string name;
    std::int64_t cycle;  // in quarters of a frame
    std::int64_t first;
    std::optional<std::int64_t> optional;
    std::int64_t divisor = 1;
    Nanoseconds budget{0};
    std::vector<EscalationStep> steps;
    std::int64_t shed = 0, demoted = 0, last = 0;
    bool returns = false;
  };
  std::vector<Job> jobs;
  std::vector<EscalationStep> rig;
  std::int64_t restore_after = 1;

  std::map<const EscalationStep*, std::vector<std::int64_t>> events;
  rtsync::OnOverrun own = rtsync::OnOverrun::reanchor, now = own;
  std::int64_t switched = 0;  // as Job::shed
  std::int64_t number = 0, room = 0, wait = 1, back = -1, frames = 0;

  /// Numbers of the calls of a job in frame k.
  static std::vector<std::int64_t> calls_in(const Job& job, std::int64_t k) {
    std::vector<std::int64_t> calls;
    for (std::int64_t n = 0; job.first + n * job.cycle < 4 * (k + 1); ++n)
      if (job.first + n * job.cycle >= 4 * k) calls.push_back(n);
    return calls;
  }
  static std::int64_t calls_before(const Job& job, std::int64_t k) {
    std::int64_t n = 0;
    while (job.first + n * job.cycle < 4 * k) ++n;
    return n;
  }
  bool runs(const Job& job, std::int64_t n) const {
    return job.shed == 0 && (job.demoted == 0 || (n - job.last) % job.divisor == 0);
  }
  void step(const EscalationStep& step, std::int64_t k, std::int64_t count, Job* job) {
    std::vector<std::int64_t>& all = events[&step];
    for (std::int64_t i = 0; i < count; ++i) all.push_back(k);
    const std::int64_t frames_in = (step.within.count() + 999'999) / 1'000'000;
    if (std::count_if(all.begin(), all.end(), [&](auto e) { return k - e < frames_in; }) < step.after) return;
    all.clear();
    bool done = false;
    if (step.action == StepAction::shed) {
      std::optional<std::int64_t> lowest;
      for (const Job& each : jobs)
        if ((job == nullptr || job == &each) && each.optional && each.shed == 0)
          lowest = std::min(lowest.value_or(INT64_MAX), *each.optional);
      for (Job& each : jobs)
        if ((job == nullptr || job == &each) && lowest && each.optional == lowest && each.shed == 0) {
          each.shed = number + 1;
          done = true;
        }
      if (done) ++number;
    } else if (step.action == StepAction::demote) {
      for (Job& each : jobs) {
        if (done || (job != nullptr && job != &each) || each.divisor == 1) continue;
        if (each.demoted != 0 && !each.returns) continue;
        if (each.demoted == 0) each.last = std::max<std::int64_t>(calls_before(each, k + 1) - 1, 0);
        each.demoted = ++number;
        each.returns = false;
        done = true;
      }
    } else if (const auto other = on_overrun_of(step.action); other && *other != now) {
      now = *other;
      switched = now == own ? 0 : ++number;
      done = true;
    }
    if (!done) return;
    if (back >= 0) wait = frames - back <= wait ? std::min(wait * 2, restore_after * 64) : restore_after;
    back = -1;
    room = 0;
  }
  void end_frame(std::int64_t k, Nanoseconds slack, const std::map<std::string, std::int64_t>& over) {
    ++frames;
    bool trouble = false;
    std::map<const Job*, bool> out;
    for (const Job& job : jobs) {
      const std::int64_t next = calls_before(job, k);
      out[&job] = job.shed != 0 || (job.demoted != 0 && (next - job.last) % job.divisor != 0);
    }
    if (slack < 0ns && !rig.empty()) {
      trouble = true;
      for (const EscalationStep& each : rig) step(each, k, 1, nullptr);
    }
    for (Job& job : jobs)
      if (const auto found = over.find(job.name); found != over.end() && !job.steps.empty()) {
        trouble = true;
        for (const EscalationStep& each : job.steps) step(each, k, found->second, &job);
      }
    std::int64_t top = switched;
    bool any = switched != 0;
    for (const Job& job : jobs) {
      any = any || job.shed != 0 || job.demoted != 0;
      top = std::max({top, job.shed, job.returns ? 0 : job.demoted});
    }
    if (any) {
      Nanoseconds needed{0};
      for (const Job& job : jobs)
        if (top != 0 && (job.shed == top || (job.demoted == top && out[&job]))) needed += job.budget;
      room = !trouble && slack >= needed ? room + 1 : 0;
      if (room >= wait && top != 0) {
        if (switched == top) {
          switched = 0;
          now = own;
        }
        for (Job& job : jobs) {
          if (job.shed == top) job.shed = 0;
          if (job.demoted == top) job.returns = true;
        }
        room = 0;
        back = frames;
      }
    }
    for (Job& job : jobs) {
      const std::int64_t last = calls_before(job, k + 1) - 1;
      if (job.returns && last > job.last && (last - job.last) % job.divisor == 0) {
        job.demoted = 0;
        job.returns = false;
      }
    }
  }
};

TEST(RandomPolicies, RunTheJobsThatTheRulesSay) {
  const auto kPlans = static_cast<std::uint64_t>(::tactus::test::trials(120));
  std::int64_t left_out = 0;
  std::int64_t switched = 0;  // frames
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < kPlans; ++seed) {
    std::mt19937_64 random(seed);
    const auto roll = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const auto steps = [&](std::int64_t most, bool can_shed, bool can_demote, std::int64_t last = 2) {
      std::vector<EscalationStep> made;
      for (std::int64_t i = roll(0, most); i > 0; --i) {
        const StepAction action = kActions[roll(0, last)];
        if ((action == StepAction::shed && !can_shed) || (action == StepAction::demote && !can_demote))
          continue;
        made.push_back({roll(1, 4), roll(1, 40) * 500us, action});
      }
      return made;
    };
    PolicyFixture rig;
    Reference reference;
    const std::int64_t count = roll(1, 9);
    for (std::int64_t i = 0; i < count; ++i) {
      Reference::Job job;
      job.name = "j" + std::to_string(i);
      const bool demotes = roll(0, 2) == 0;
      job.cycle = demotes ? roll(4, 14) : roll(1, 14);
      job.first = roll(0, 9);
      if (roll(0, 1) == 0) job.optional = roll(1, 4);
      if (demotes) job.divisor = roll(2, 5);
      job.budget = roll(0, 4) * 100us;
      job.steps = steps(2, job.optional.has_value(), demotes);
      PlannedJob& planned = rig.traced(job.name);
      planned.cycle = Period{job.cycle * 250'000, 1};
      planned.first = Period{job.first * 250'000, 1};
      planned.optional = job.optional;
      planned.demoted_to = job.divisor;
      planned.budget = job.budget;
      planned.escalation = job.steps;
      reference.jobs.push_back(job);
    }
    reference.rig = rig.plan.escalation = steps(4, true, true, 5);
    constexpr rtsync::OnOverrun kOwn[] = {rtsync::OnOverrun::catch_up, rtsync::OnOverrun::skip,
                                          rtsync::OnOverrun::reanchor};
    reference.own = reference.now = rig.realtime.overrun.on_overrun = kOwn[roll(0, 2)];
    reference.wait = reference.restore_after = rig.plan.restore_after = roll(1, 12);
    constexpr std::int64_t kFrames = 400;
    const std::int64_t bad = roll(2, 30);
    for (std::int64_t k = 0; k < kFrames; ++k) {
      const bool late = roll(0, bad) == 0;
      rig.work[k] = late ? roll(1001, 3000) * 1us : roll(0, 1000) * 1us;
      for (std::int64_t i = 0; i < count; ++i)
        if (roll(0, bad) == 0)
          for (std::int64_t n = roll(1, 2); n > 0; --n) rig.over.emplace(k, "j" + std::to_string(i));
    }
    ASSERT_EQ(rig.run(kFrames).outcome, Outcome::completed);

    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> expected;
    Nanoseconds slot{0};
    Nanoseconds done{0};
    std::int64_t lost = 0;
    for (std::int64_t k = 0; k < kFrames; ++k) {
      for (const Reference::Job& job : reference.jobs)
        for (const std::int64_t n : Reference::calls_in(job, k)) {
          if (!reference.runs(job, n)) {
            ++left_out;
            continue;
          }
          const double cycle = Period{job.cycle * 250'000, 1}.seconds();
          expected[job.name].emplace_back(
              k, job.demoted != 0 ? cycle * static_cast<double>(job.divisor) : cycle);
        }
      std::map<std::string, std::int64_t> over;
      for (auto [at, end] = rig.over.equal_range(k); at != end; ++at) ++over[at->second];
      done = std::max(slot, done) + rig.work[k];
      const Nanoseconds slack = slot + 1ms - done;
      Nanoseconds next = slot + 1ms;
      if (slack < 0ns && reference.now == rtsync::OnOverrun::reanchor) {
        lost +=
            (done - next - 1ns) / 1ms;  // a frame that ends exactly on a slot has not lost the one before it
        next = done;
      }
      for (; reference.now == rtsync::OnOverrun::skip && next < done; next += 1ms) ++lost;
      slot = next;
      reference.end_frame(k, slack, over);
      switched += reference.switched != 0 ? 1 : 0;
    }
    ASSERT_EQ(rig.executive->totals().lost, lost) << "seed " << seed;
    for (const Reference::Job& job : reference.jobs)
      ASSERT_EQ(rig.calls[job.name], expected[job.name]) << "seed " << seed << ", " << job.name;
    for (const std::string& note : rig.notes()) seen.insert(note.substr(note.find(' ') + 1, 4));
  }
  EXPECT_GT(switched, static_cast<std::int64_t>(kPlans)) << "the plans are too tame";
  EXPECT_GT(left_out, static_cast<std::int64_t>(kPlans) * 10) << "the plans are too tame";
  EXPECT_TRUE(seen.contains("back"));
}

TEST(RandomPolicies, ACheckpointGoesOnWithWhatWasLeftOut) {
  const auto build = [](PolicyFixture& rig) {
    rig.traced("view").optional = 1;
    PlannedJob& slow = rig.traced("slow");
    slow.demoted_to = 3;
    slow.escalation = {step(1, StepAction::demote)};
    rig.plan.escalation = {step(1, StepAction::shed)};
    rig.plan.restore_after = 1000;
    rig.prepare();
  };
  PolicyFixture whole;
  build(whole);
  whole.work[2] = 2ms;
  whole.over.emplace(4, "slow");
  (void)whole.run(7);
  LoadedState state{whole.executive->restorer().copy(), 7};
  PolicyFixture resumed;
  build(resumed);
  // The layout of a block is that of the rig that wrote it: it goes by names into another.
  const StateImage& from = whole.executive->restorer().image();
  const StateImage& to = resumed.executive->restorer().image();
  ASSERT_EQ(from.bytes(), to.bytes());
  std::vector<std::byte> bytes(to.bytes());
  for (std::size_t i = 0; i < to.pieces().size(); ++i) {
    const std::size_t same = from.find(to.pieces()[i].name);
    ASSERT_LT(same, from.pieces().size());
    std::memcpy(bytes.data() + to.offset(i), state.bytes.data() + from.offset(same), to.pieces()[i].bytes);
  }
  state.bytes = bytes;
  resumed.executive->run_default_data();
  resumed.executive->run_initialization();
  resumed.executive->restart().load(state);
  (void)resumed.executive->run(14);
  EXPECT_THAT(resumed.frames_of("view"), IsEmpty());
  EXPECT_THAT(resumed.frames_of("slow"), ElementsAre(7, 10, 13)) << "calls 4 + 3, 4 + 6, ...";
}

}  // namespace
}  // namespace tactus::executive::policy_part_test
