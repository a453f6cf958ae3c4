// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/finding_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>

#include "rtsync/evidence/cause.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::executive::finding_text_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;
using rtsync::LatePart;
using rtsync::Nanoseconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Jobs of thread main (0), and of thread plant (1).
class FindingText : public ::testing::Test {
 protected:
  FindingText() {
    plan_.threads.resize(1);
    plan_.threads[0].name = "plant";
    plan_.jobs.resize(3);
    plan_.jobs[0].name = "bad.step";
    plan_.jobs[1].name = "plant.step";
    plan_.jobs[1].thread = 1;
    plan_.jobs[2].name = "integrate.fast";
  }
  static Finding finding(Cause cause, Nanoseconds took = 3ms) {
    Finding made;
    made.cause = cause;
    made.job = 0;
    made.frame = 20;
    made.facts.took = took;
    return made;
  }
  std::string text(const Finding& finding) const { return text_of(finding, plan_); }

  Plan plan_;
};

TEST_F(FindingText, BlamesNoFreezerForWhatALateTimerMayHaveDone) {
  tactus::test::Snapshot texts;
  Finding late = finding(Cause::unknown);
  late.facts.part = rtsync::LatePart::wake;
  late.evidence.switches.emplace().blocked = 3ms;
  late.evidence.others.emplace().ran = 3ms;
  late.evidence.ready_most = 100us;
  texts.add(text(late));
  late.evidence.others->not_ready = 3ms;
  texts.add(text(late));
}

TEST_F(FindingText, NamesNoThreadThatMayHaveRunOnlyWhileTheRigsWasNotReady) {
  Finding late = finding(Cause::preempted, 21ms);
  late.facts.part = LatePart::wake;
  late.evidence.switches.emplace().blocked = 21ms;
  rtsync::OtherThreads& others = late.evidence.others.emplace();
  others.ran = 21ms;
  others.thread = 1;  // the first process of any machine
  others.longest = 18ms;
  late.evidence.ready_most = 3ms;
  EXPECT_THAT(text(late), HasSubstr("another thread"));
  EXPECT_EQ(culprit_of(late, plan_), "another thread");
  late.evidence.ready_most = 21ms;
  EXPECT_THAT(text(late), HasSubstr("(tid 1"));
}

TEST_F(FindingText, SaysWhatAJobDidWithItsTime) {
  tactus::test::Snapshot texts;
  struct Row {
    Cause cause;
    std::function<void(Finding&)> seen;
  };
  const Row rows[] = {
      {Cause::computed, [](Finding&) {}},
      {Cause::injected, [](Finding&) {}},
      {Cause::blocked, [](Finding& f) { f.evidence.switches = {.blocked = 2900us, .blocks = 1}; }},
      {Cause::blocked,
       [](Finding& f) { f.evidence.switches = {.blocked = 2900us, .blocks = 1, .call = SYS_fsync}; }},
      {Cause::blocked,
       [](Finding& f) { f.evidence.switches = {.blocked = 2900us, .blocks = 4, .call = SYS_fsync}; }},
      {Cause::faulted, [](Finding& f) { f.evidence.faults = {.minor = 12, .major = 1, .took = 900us}; }},
      {Cause::faulted,
       [](Finding& f) {
         f.facts.took = 8100us;
         f.evidence.faults = {.minor = 1, .took = 1800us};
         f.evidence.maps = {.calls = 1, .bytes = 16 << 20, .faults = 4096, .took = 6200us};
       }},
      {Cause::faulted, [](Finding& f) { f.evidence.maps = {.calls = 3, .took = 50us}; }},
      {Cause::faulted,
       [](Finding& f) {
         f.facts.took = 5100us;
         f.evidence.switches = {.in_major_fault = 5ms};
       }},
      {Cause::heap, [](Finding& f) { f.evidence.heap = {.calls = 1, .took = 2ms}; }},
      {Cause::heap,
       [](Finding& f) {
         f.evidence.heap = {.calls = 70, .took = 2ms};
         f.evidence.faults = {.minor = 3};
       }},
      {Cause::migrated, [](Finding& f) { f.evidence.switches = {.migrated = 700us}; }},
      {Cause::slowed, [](Finding& f) { f.evidence.speed = 0.4; }},
      {Cause::waited, [](Finding&) {}},
      {Cause::housekeeping, [](Finding&) {}},
      {Cause::catching_up, [](Finding&) {}},
  };
  for (const Row& row : rows) {
    Finding made = finding(row.cause);
    row.seen(made);
    texts.add(text(made));
  }
  EXPECT_EQ(text(finding(Cause::none)), "none: ");
}

TEST_F(FindingText, NamesThePartOfTheFrame) {
  tactus::test::Snapshot texts;
  for (const LatePart part : {LatePart::between_jobs, LatePart::wake, LatePart::housekeeping, LatePart::call,
                              LatePart::answer, LatePart::catching_up}) {
    Finding made = finding(Cause::computed);
    made.facts.part = part;
    texts.add(text(made));
  }
  Finding none = finding(Cause::computed);
  none.job = Finding::kNoJob;
  texts.add(text(none));
  Finding other = finding(Cause::computed);
  other.job = 1;
  texts.add(text(other));
  Finding loop = finding(Cause::computed);
  loop.job = 2;
  loop.inner_job = 0;
  loop.part_took = 2ms;
  texts.add(text(loop));
}

TEST_F(FindingText, SaysHowManyJobsSharedAnExcessAndNamesThreeOfThem) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::computed);
  made.job = Finding::kNoJob;
  made.group = {40, 40, 2ms, {1, 0, 2}};
  texts.add(text(made));
  texts.add(culprit_of(made, plan_));
  made.group = {2, 2, 2ms, {1, 0, Finding::kNoJob}};
  texts.add(text(made));
  made.cause = Cause::blocked;
  made.evidence.switches = rtsync::SwitchTimes{};
  made.evidence.switches->blocked = 1ms;
  made.evidence.switches->blocks = 2;
  texts.add(text(made));
  made.cause = Cause::computed;
  made.job = 0;
  made.group = {1, 10, 2ms, {0, Finding::kNoJob, Finding::kNoJob}};
  texts.add(text(made));
}

TEST_F(FindingText, SaysWhatAnotherCauseHadOfTheSameTime) {
  FrameNote note;
  note.timing.overrun = rtsync::OverrunCause::work;
  note.timing.slack = -40ms;
  note.overrun = finding(Cause::computed, 41ms);
  note.overrun.share = 30ms;
  note.overrun.besides = {rtsync::CauseTime{Cause::blocked, 8ms}, {Cause::heap, 2ms}};
  note.beside = note.overrun;
  note.beside.cause = Cause::blocked;
  note.beside.share = 8ms;
  note.beside.is_beside = true;
  note.beside_share = 8ms;
  note.more[0] = {Cause::heap, 2ms};
  tactus::test::Snapshot().add(text_of(note, plan_));
}

TEST_F(FindingText, SaysThatFindingOutWhyMadeTheNextFrameLate) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::catching_up);
  made.frame = 20;
  texts.add(text(made));
  made.part = "causes";
  made.part_took = 1200us;
  texts.add(text(made));
}

TEST_F(FindingText, SaysWhatTheKernelCountedWithoutARecord) {
  Finding made = finding(Cause::faulted);
  made.evidence.counted = rtsync::CountedFaults{4096, 700ns, 4us};
  tactus::test::Snapshot().add(text(made));
}

TEST_F(FindingText, ComparesWithWhatIsUsualAndWithTheBudget) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::computed);
  made.facts.usual = 575ns;
  texts.add(text(made));
  made.facts.usual_p99 = 1200ns;
  texts.add(text(made));
  plan_.jobs[0].budget = 100us;
  texts.add(text(made));
  made.facts.part = LatePart::between_jobs;
  texts.add(text(made), "the budget is that of the job");
}

TEST_F(FindingText, NamesWhoHadTheCpu) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::preempted);
  made.evidence.switches = {.preempted = 2ms, .preemptions = 1};
  texts.add(text(made));
  texts.add(culprit_of(made, plan_));
  made.evidence.others = {.thread = ::gettid(), .longest = 2ms, .ran = 2ms};
  EXPECT_THAT(text(made),
              MatchesRegex("preempted: job bad.step was preempted 2.00 ms by '[^']+' \\(tid [0-9]+, "
                           "SCHED_[A-Z]+( [0-9]+)?\\)"));
  EXPECT_THAT(culprit_of(made, plan_), HasSubstr("(tid " + std::to_string(::gettid())));
  made.evidence.others = {.thread = -1, .longest = 1500us, .ran = 2ms, .weaker = 1ms, .kept = 500us};
  made.evidence.preemptible = false;
  texts.add(text(made));
  made.facts.part = LatePart::wake;
  texts.add(text(made), "nothing was pushed off");
}

TEST_F(FindingText, NamesTheInterrupt) {
  using Kind = rtsync::InterruptTimes::Kind;
  tactus::test::Snapshot texts;
  const rtsync::InterruptTimes rows[] = {
      {.took = 2ms, .count = 1},
      {.took = 2ms, .count = 3, .kind = Kind::softirq, .number = 3, .longest = 1ms},
      {.took = 2ms, .count = 1, .kind = Kind::softirq, .number = 99, .longest = 2ms},
      {.took = 2ms, .count = 1, .kind = Kind::irq, .number = 99'999, .longest = 2ms},
  };
  for (const rtsync::InterruptTimes& row : rows) {
    Finding made = finding(Cause::interrupted);
    made.evidence.interrupts = row;
    texts.add(text(made));
    texts.add(culprit_of(made, plan_));
  }
}

TEST_F(FindingText, NamesTheLimitThatStoppedIt) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::throttled, 50ms);
  made.evidence.switches = {.preempted = 48ms};
  texts.add(text(made));
  texts.add(culprit_of(made, plan_));
  made.evidence.others = {.ran = 1ms, .passed_over = 49ms};
  texts.add(text(made), "what others were given of it counts");
  made.evidence.realtime = false;
  texts.add(text(made));
  texts.add(culprit_of(made, plan_));
  made.evidence.quota = rtsync::QuotaStops{
      .took = 49ms, .times = 1, .runtime_us = 20'000, .period_us = 100'000, .group = {"/rig.slice"}};
  texts.add(text(made));
  texts.add(culprit_of(made, plan_));
  made.cause = Cause::unknown;
  texts.add(text(made));
  made.evidence.quota->uncertain = true;
  texts.add(text(made));
  made.evidence.quota->group = {};
  texts.add(text(made));
  made.cause = Cause::throttled;
  made.evidence = {};
  texts.add(text(made), "nothing else is known");
}

TEST_F(FindingText, OfAStopByTheLimitHasTheTimeThatDecided) {
  Finding made = finding(Cause::throttled, 48ms);
  made.facts.part = LatePart::wake;
  made.evidence.throttle_gap = 50ms;
  made.evidence.switches = {.blocked = 47700us, .blocks = 1, .preempted = 267us, .preemptions = 1};
  made.evidence.others = {.ran = 300us, .idle = 47ms};
  made.evidence.others->without = 48ms;
  tactus::test::Snapshot().add(text(made));
}

/// A frame of 10 ms more than usual, of which each cause had 6 ms by the evidence, though all of it was more.
TEST_F(FindingText, FiguresAreWhatTheEvidenceGivesToTheCauseWithinTheExcess) {
  tactus::test::Snapshot texts;
  const auto of_job = [&](Cause cause) {
    Finding made = finding(cause, 6ms);
    made.facts.usual = 2ms;
    made.evidence.switches = rtsync::SwitchTimes{};
    return made;
  };
  Finding slept = of_job(Cause::blocked);
  slept.evidence.switches->blocked = 5ms;
  slept.evidence.switches->blocks = 1;
  texts.add(text(slept), "the rest is usual");
  Finding pushed = of_job(Cause::preempted);
  pushed.evidence.switches->preempted = 5ms;
  pushed.evidence.others = {.thread = -1, .longest = 4500us, .ran = 5ms};
  texts.add(text(pushed), "without 4.50 ms, more than there is to explain");
  Finding interrupted = of_job(Cause::interrupted);
  interrupted.evidence.interrupts = {
      .took = 5ms, .count = 9, .kind = rtsync::InterruptTimes::Kind::softirq, .number = 3, .longest = 4500us};
  texts.add(text(interrupted));
  Finding faulted = of_job(Cause::faulted);
  faulted.evidence.faults = {.minor = 5000, .took = 5ms};
  texts.add(text(faulted));
  Finding used_heap = of_job(Cause::heap);
  used_heap.evidence.heap = {.calls = 3, .took = 5ms};
  texts.add(text(used_heap));
  Finding traced = of_job(Cause::suspended);
  traced.evidence.switches->traced = 5ms;
  texts.add(text(traced));

  Finding stopped = finding(Cause::machine_stopped, 48ms);
  stopped.facts.part = LatePart::wake;
  stopped.evidence.switches = rtsync::SwitchTimes{};
  stopped.evidence.others = {.still_asleep = 47ms};
  stopped.evidence.silence = {.took = 267us, .anywhere = true};
  texts.add(text(stopped), "without the 267 us");
}

TEST_F(FindingText, SaysWhatTheKernelDidForAJob) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::computed);
  made.evidence.silence = {.in_kernel = 2800us, .in_call = 2700us};
  texts.add(text(made));
  EXPECT_EQ(figures_of(made).back().value, 2.7e6);
  made.evidence.silence->in_call = 1ms;
  texts.add(text(made));
  made.cause = Cause::unknown;
  texts.add(text(made));
  made.evidence.faults = {.minor = 500, .took = 1ms};
  texts.add(text(made), "faults that were counted are");
}

TEST_F(FindingText, TellsAStopOfTheMachineFromOneByASignal) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::machine_stopped, 50ms);
  texts.add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "the machine");
  EXPECT_EQ(culprit_beside_cause(made, plan_), "") << "the word says it";
  made.evidence.silence = {.took = 48ms};
  texts.add(text(made));
  made.evidence.others = {.still_ready = 49ms, .still_asleep = 1ms};
  texts.add(text(made));
  made.facts.part = LatePart::wake;
  texts.add(text(made));
  made.facts.part = LatePart::job;
  made.evidence.went_on = true;
  texts.add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "SIGSTOP");
}

TEST_F(FindingText, SaysWhyATimerWasLate) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::timer_late, 400us);
  made.facts.part = LatePart::wake;
  made.evidence.cpu = 3;
  texts.add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "CPU 3");
  made.evidence.idle_exit = 250us;
  texts.add(text(made));
  made.evidence.idle_exit = 100us;
  texts.add(text(made), "its exit is less than half of it");
  made.evidence.others = {.thread = -1, .weaker = 300us};
  texts.add(text(made));
  made.facts.part = LatePart::call;
  texts.add(text(made));
}

TEST_F(FindingText, SaysWhyWhoWasAwaitedWasNotReady) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::waited);
  made.facts.part = LatePart::between_jobs;
  made.job = 1;
  texts.add(text(made));
  made.root.cause = Cause::blocked;
  made.root.facts.took = 3ms;
  made.root.evidence.switches = {.blocked = 3ms, .blocks = 1};
  texts.add(text(made));
  made.job = Finding::kNoJob;
  made.root = {};
  texts.add(text(made));
  made.root.thread = 1;
  texts.add(text(made));
}

TEST_F(FindingText, SaysWhatBecameOfTheEdgeOfTheClock) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::clock);
  made.facts.edge_late = 1200us;
  texts.add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "the external clock");
  made.facts.edge_missed = true;
  texts.add(text(made));
}

TEST_F(FindingText, NamesTheExecutivesOwnWork) {
  Finding made = finding(Cause::housekeeping);
  made.facts.part = LatePart::housekeeping;
  EXPECT_EQ(culprit_of(made, plan_), "the executive");
  made.part = "checkpoints";
  made.part_took = 2ms;
  tactus::test::Snapshot().add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "checkpoints");
}

TEST_F(FindingText, OfWhatNothingCoversItTellsAllThatWasLookedAt) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::unknown);
  texts.add(text(made));
  EXPECT_EQ(culprit_of(made, plan_), "");
  made.evidence.switches = {.blocked = 1ms, .preempted = 10us, .migrated = 5us};
  made.evidence.others = {.ran = 10us};
  made.evidence.faults = {.minor = 1};
  made.evidence.interrupts = {.took = 20us};
  made.evidence.heap = {.calls = 2};
  made.evidence.silence = {.took = 300us, .blind = 500us, .in_kernel = 40us};
  texts.add(text(made));
}

TEST_F(FindingText, SaysThatAWaitMayHaveBeenForAThreadOrForTheLimit) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::unknown, 52ms);
  made.evidence.queued = 50ms;
  made.evidence.throttle_gap = 50ms;
  texts.add(text(made));
  made.evidence.queued = 20ms;
  texts.add(text(made), "it may not have waited");
}

TEST_F(FindingText, SaysWhereSignsOfLifeAreTooSeldom) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::unknown, 300us);
  made.evidence.switches.emplace();
  made.evidence.silence = {.took = 300us, .anywhere = true, .blind = 2ms};
  texts.add(text(made));
  made.facts.took = 30ms;
  texts.add(text(made));
}

TEST_F(FindingText, SaysThatSignsOfLifeCameLateWhereThatMadeTheRestUnknown) {
  tactus::test::Snapshot texts;
  Finding made = finding(Cause::unknown, 10ms);
  made.evidence.switches = {.blocked = 4ms, .blocks = 1};
  made.evidence.silence = {.took = 1ms, .anywhere = true, .blind = 500us, .late = 1ms};
  texts.add(text(made), "5 ms are unknown, of 10 ms");
  made.evidence.silence->took = made.evidence.silence->late = 500us;
  texts.add(text(made));
  made.evidence.silence->took = made.evidence.silence->late = 2ms;
  made.facts.part = rtsync::LatePart::wake;
  texts.add(text(made), "it decides nothing there");
}

TEST_F(FindingText, EveryCauseHasASentenceAndACulpritOrNone) {
  for (std::size_t i = 1; i < rtsync::kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const Finding made = finding(cause);
    EXPECT_TRUE(text(made).starts_with(std::string(name_of(cause)) + ": ")) << text(made);
    EXPECT_GT(text(made).size(), name_of(cause).size() + 20) << text(made);
    if (cause == Cause::unknown || cause == Cause::slowed || cause == Cause::timer_late) continue;
    EXPECT_NE(culprit_of(made, plan_), "") << name_of(cause);
  }
  EXPECT_EQ(culprit_of(finding(Cause::catching_up), plan_), "frame 20");
  EXPECT_EQ(culprit_of(finding(Cause::heap), plan_), "bad.step");
}

std::map<std::string, double> figures(const Finding& finding) {
  std::map<std::string, double> all;
  for (const FindingFigure& figure : figures_of(finding)) all[figure.name] = figure.value;
  return all;
}

TEST_F(FindingText, FiguresAreAllThatWasLookedAtAndNothingElse) {
  Finding made = finding(Cause::unknown);
  made.facts.usual = 20us;
  const auto first = figures_of(made);
  ASSERT_EQ(first.size(), 1U) << "nothing was looked at";
  EXPECT_STREQ(first[0].name, "took");
  EXPECT_EQ(first[0].value, 3e6);
  EXPECT_STREQ(first[0].unit, "ns");
  EXPECT_EQ(first[0].usual, 2e4);
  made.evidence.switches = {.blocked = 1ms, .blocks = 2, .preempted = 3us, .migrated = 4us};
  made.evidence.others = {.ran = 5us};
  made.evidence.interrupts = {.took = 6us, .count = 7};
  made.evidence.faults = {.minor = 8, .major = 9, .took = 10us};
  made.evidence.heap = {.calls = 11, .took = 12us};
  made.evidence.maps = {.calls = 0, .took = 13us};
  made.evidence.silence = {.took = 14us};
  made.evidence.others->still_ready = 15us;
  made.evidence.idle_exit = 16us;
  made.evidence.throttle_gap = 50ms;
  made.evidence.speed = 0.5;
  made.evidence.cpu = 1;
  const auto all = figures(made);
  EXPECT_EQ(all.at("off its CPU by itself"), 1e6);
  EXPECT_EQ(all.at("gave up its CPU"), 2);
  EXPECT_EQ(all.at("pushed off its CPU"), 3e3);
  EXPECT_EQ(all.at("moved to another CPU"), 4e3);
  EXPECT_EQ(all.at("others had its CPU"), 5e3);
  EXPECT_EQ(all.at("in interrupts"), 6e3);
  EXPECT_EQ(all.at("interrupts"), 7);
  EXPECT_EQ(all.at("minor page faults"), 8);
  EXPECT_EQ(all.at("major page faults"), 9);
  EXPECT_EQ(all.at("in page faults"), 1e4);
  EXPECT_EQ(all.at("heap calls"), 11);
  EXPECT_EQ(all.at("in heap calls"), 1.2e4);
  EXPECT_FALSE(all.contains("calls that map memory")) << "there were none";
  EXPECT_EQ(all.at("without a sign of life"), 1.4e4);
  EXPECT_EQ(all.at("its CPU without a sign of life, while it was off it"), 1.5e4);
  EXPECT_EQ(all.at("to leave an idle state, at most"), 1.6e4);
  EXPECT_EQ(all.at("a stop by the real-time limit"), 5e7);
  EXPECT_EQ(all.at("speed of its CPU"), 50);
  EXPECT_EQ(all.at("CPU"), 1);
  made.evidence.maps = {.calls = 2, .faults = 3, .took = 4us};
  made.facts.edge_late = 5us;
  const auto more = figures(made);
  EXPECT_EQ(more.at("calls that map memory"), 2);
  EXPECT_EQ(more.at("page faults in them"), 3);
  EXPECT_EQ(more.at("its edge was late"), 5e3);
  made.facts.edge_missed = true;
  EXPECT_EQ(figures(made).at("until its edge was given up"), 5e3);
}

}  // namespace
}  // namespace tactus::executive::finding_text_test
