// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_teller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::run_teller_test {
namespace {

using namespace std::chrono_literals;
using config::Json;
using rtsync::Nanoseconds;
using test::PlanFixture;
using test::RecordedVoice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A rig in real time on a simulated clock. `at`: what is done before the wait of that number.
class RunTellerTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunTellerTest() {
    realtime.enabled = true;
    job("load", TACTUS_TOP_OF_FRAME, [this](const tactus_call& call) {
      const auto takes = work.find(call.frame);
      clock.advance(takes == work.end() ? 100us : takes->second);
      return 0;
    });
    sleeper.on_wait = [this](int wait) {
      if (const auto what = at.find(wait); what != at.end()) what->second();
    };
  }
  void prepare() {
    make();
    causes.emplace(*executive);
    teller.emplace(*executive, *causes, nullptr, "");
  }
  void run(std::int64_t frames) {
    if (!teller) prepare();
    end = PlanFixture::run(frames);
  }
  std::vector<std::string> poll() {
    teller->poll(voice.voice());
    return voice.take();
  }
  std::vector<std::string> poll_seldom() {
    teller->poll_seldom(voice.voice());
    return voice.take();
  }

  std::map<std::int64_t, Nanoseconds> work;
  std::map<int, std::function<void()>> at;
  std::optional<RunCauses> causes;
  std::optional<RunTeller> teller;
  RecordedVoice voice;
  RunEnd end;
};

TEST_F(RunTellerTest, OverrunsAreOneLineAndTheirCausesAreCounted) {
  work[20] = 1700us;
  run(40);
  EXPECT_THAT(poll(), IsEmpty()) << "late frames may wait a second";
  const auto said = poll_seldom();
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0], HasSubstr("frame 20 overran by 700 us; details in log.txt"));
  EXPECT_THAT(voice.log(), HasSubstr("frame 20 overran by 700 us (by work); woken "))
      << "the log has all of it";
  EXPECT_THAT(poll_seldom(), IsEmpty());
  EXPECT_EQ(causes->overruns(), 1);
  EXPECT_EQ(causes->found(), 1U);
}

TEST_F(RunTellerTest, TheLastOverrunIsTheOneThatOthersGoBackTo) {
  EXPECT_EQ((prepare(), teller->last_overrun()), "") << "there was none";
  work[20] = 3700us;  // and the next ones catch up
  run(40);
  const std::string why = teller->last_overrun();
  EXPECT_NE(why, "");
  EXPECT_FALSE(why.starts_with("catching_up")) << why;
  const std::string brief = teller->last_overrun_in_brief();
  EXPECT_EQ(why.substr(0, why.find_first_of(": ")), brief.substr(0, brief.find_first_of(": ")))
      << "one cause: " << brief;
  EXPECT_LE(brief.size(), 60U);
}

TEST_F(RunTellerTest, AnOverrunOfTheLastFrameIsToldFromAnEarlierOne) {
  work[5] = 1700us;
  work[20] = 1700us;
  at[15] = [this] {
    EXPECT_NE(teller->last_overrun(), "");
    EXPECT_FALSE(teller->last_frame_overran());
  };
  run(21);
  EXPECT_NE(teller->last_overrun(), "");
  EXPECT_TRUE(teller->last_frame_overran());
}

TEST_F(RunTellerTest, APauseAndWhatFollowsItIsTold) {
  at[10] = [this] { executive->request_pause(); };
  at[15] = [this] {
    EXPECT_THAT(poll(), ElementsAre("paused after 11 frames; SIGUSR2 resumes, Ctrl-C stops"));
    EXPECT_THAT(poll(), IsEmpty()) << "once";
    executive->request_resume();
  };
  at[20] = [this] {
    EXPECT_THAT(poll(), IsEmpty());
    EXPECT_THAT(voice.log(), HasSubstr("resumed")) << "the log has it";
  };
  run(30);
  EXPECT_EQ(end.outcome, Outcome::completed);
}

TEST_F(RunTellerTest, LateFramesBeforeAPauseAreToldBeforeIt) {
  work[5] = 1500us;
  at[10] = [this] { executive->request_pause(); };
  at[15] = [this] {
    const auto said = poll();
    EXPECT_THAT(said, SizeIs(2));
    EXPECT_THAT(said.front(), HasSubstr("frame 5"));
    EXPECT_THAT(said.back(), HasSubstr("paused after"));
    executive->request_stop("the test stops it");
  };
  run(30);
}

TEST_F(RunTellerTest, APauseByTheOverrunPolicySaysThatTheRigEndsWhenItIsResumed) {
  realtime.overrun.max_overrun = 500us;
  realtime.overrun.at_maximum = rtsync::AtMaximum::freeze;
  work[5] = 1700us;
  at[15] = [this] {
    const auto said = poll();
    ASSERT_FALSE(said.empty());
    EXPECT_THAT(said.back(),
                HasSubstr(" (a maximum of the overrun policy; it ends when it is resumed); SIGUSR2"));
    executive->request_resume();
  };
  run(30);
  EXPECT_EQ(end.outcome, Outcome::overrun);
}

TEST_F(RunTellerTest, AResetIsTold) {
  prepare();
  (void)executive->restorer().prepare_reset();
  at[10] = [this] { executive->request_reset(); };
  at[15] = [this] {
    EXPECT_THAT(poll(), ElementsAre("reset done: running again from the initial state"));
    EXPECT_THAT(poll(), IsEmpty());
  };
  run(30);
}

TEST_F(RunTellerTest, CommandsThatWereNotReachedAreInTheLog) {
  TimedCommand timed;
  timed.at = 1s;
  plan.commands = {timed, timed};
  run(10);
  teller->tell_unused(voice.voice());
  EXPECT_THAT(voice.take(), IsEmpty()) << "nobody has to do anything";
  EXPECT_THAT(voice.log(),
              HasSubstr("2 commands of the rig file were not reached: the rig ended before their time"));
}

TEST_F(RunTellerTest, ClientsAreToldOfEachOverrun) {
  prepare();
  LiveHistory history;
  teller->tell(history);
  work[20] = 1700us;
  run(40);
  (void)poll();
  const auto entries = history.after(0, 10).entries;
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ((*entries[0])["frame"], 20);
  EXPECT_EQ((*entries[0])["over_ns"], 700'000);
  EXPECT_EQ((*entries[0])["caught_up"], true);
}

TEST_F(RunTellerTest, AFrameThatNeverEndsLacksItsOverrunUntilItIsTaken) {
  work[20] = 1700us;
  run(40);
  rtsync::RealtimeTotals totals = executive->totals();
  ASSERT_EQ(totals.overruns, 1);
  EXPECT_FALSE(teller->lacks_overrun(totals));
  ++totals.overruns;
  EXPECT_TRUE(teller->lacks_overrun(totals));
  FrameNote note;
  note.timing.frame = 40;
  note.timing.slack = -2s;
  note.timing.overrun = rtsync::OverrunCause::work;
  note.overrun.cause = rtsync::Cause::blocked;
  note.overrun.job = 0;
  note.overrun.facts.took = 2s;
  note.overrun.evidence.switches = {.blocked = 2s, .blocks = 1};
  teller->take_unended(note, voice.voice());
  EXPECT_FALSE(teller->lacks_overrun(totals));
  EXPECT_THAT(voice.take(),
              ElementsAre("blocked: load; frame 40 overran by 2.00 s when the rig stopped waiting for it; "
                          "details in log.txt"));
  EXPECT_THAT(voice.log(), HasSubstr("; blocked: job load slept 2.00 s (it gave up the CPU itself 1 time)"));
}

TEST_F(RunTellerTest, BudgetsThatWereExceededAreTold) {
  plan.job_times = true;
  plan.jobs[0].budget = 200us;
  prepare();
  JobBudgets& budgets = executive->program().budgets();
  budgets.book(budgets.job(0), 7, 500us);
  EXPECT_THAT(poll_seldom(), ElementsAre("job load took 500 us, its budget is 200 us: once in frame 7"));
}

TEST_F(RunTellerTest, TheExternalClockIsToldWithItsFault) {
  make();
  causes.emplace(*executive);
  rtsync::EdgeClockStatus status;
  ClockStatusPart part(status, sleeper);
  executive->add(part);
  teller.emplace(*executive, *causes, &part, "line 17");
  at[5] = [&] {
    status.state = rtsync::ClockState::locked;
    status.edges = 4;
  };
  run(10);
  const auto said = poll_seldom();
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0], HasSubstr("external clock "));
  EXPECT_THAT(said[0], HasSubstr(" -> locked"));
}

}  // namespace
}  // namespace tactus::executive::run_teller_test
