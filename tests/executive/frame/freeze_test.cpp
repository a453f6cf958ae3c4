// SPDX-License-Identifier: Apache-2.0
// What runs while a rig stands still, and what makes it stand still and go on again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "executive/model/job_class.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::freeze_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Nanoseconds;
using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Period ms(std::int64_t n) { return {n * 1'000'000, 1}; }

TimedCommand command(Nanoseconds at, Command what) { return {at, {what}}; }
TimedCommand pause(Nanoseconds at, Nanoseconds rest) { return {at, {Command::pause}, rest}; }
TimedCommand step(Nanoseconds at, std::int64_t frames) { return {at, {Command::step, frames}}; }
TimedCommand run_until(Nanoseconds at, Nanoseconds until) {
  return {at, {Command::run_until, until.count()}};
}

/// A job that writes its name, freeze time in ms and frame down.
PlannedJob& scribe(PlanFixture& bench, std::vector<std::string>& trace, const std::string& name,
                   tactus_job_class job_class) {
  return bench.job(name, job_class, [&trace, name](const tactus_call& call) {
    trace.push_back(name + " " + std::to_string(call.sim_time_ns / 1'000'000) + "/" +
                    std::to_string(call.frame));
    return 0;
  });
}

TEST(Freeze, WhatUnfreezeJobsTakeIsNoTimeOfTheFrameThatComesNext) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.plan.job_times = true;
  bench.plan.commands = {pause(2ms, 20ms)};
  int thawed = 0;
  bench.job("thaw", TACTUS_UNFREEZE, [&](const tactus_call&) {
    ++thawed;
    bench.clock.advance(150ms);
    return 0;
  });
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call&) {
    const std::uint32_t thaw = bench.executive->program().find("thaw");
    for (const JobEnd& end : bench.executive->program().lane(0).log())
      EXPECT_NE(end.job, thaw) << "it would count for the frame's budget, and for its cause";
    bench.clock.advance(100us);
    return 0;
  });
  EXPECT_EQ(bench.run(8).outcome, Outcome::completed);
  EXPECT_EQ(thawed, 1);
  EXPECT_EQ(bench.executive->totals().late_wakes, 0);
  EXPECT_EQ(bench.executive->totals().overruns, 0);
  EXPECT_EQ(bench.executive->statistics().late.max(), Nanoseconds{0});
}

TEST(Freeze, RunsItsClassesInOrderAtFreezeTimesFromZero) {
  PlanFixture bench;
  bench.plan.freeze_frame = ms(10);
  bench.plan.commands = {pause(2ms, 20ms), pause(4ms, 1ms)};
  std::vector<std::string> trace;
  scribe(bench, trace, "leave", TACTUS_UNFREEZE);
  scribe(bench, trace, "end", TACTUS_FREEZE);
  PlannedJob& automatic = bench.job("m.auto", TACTUS_FREEZE_AUTOMATIC, [&](const tactus_call& call) {
    trace.push_back("auto " + std::to_string(call.sim_time_ns / 1'000'000) + "/" +
                    std::to_string(call.frame));
    EXPECT_EQ(call.dt, 0);
    return bench.executive->model_requests().call_at("m", "auto", call.sim_time_ns + 7'000'000) ? 0 : 1;
  });
  automatic.dynamic = true;
  automatic.first = ms(1);
  scribe(bench, trace, "cyclic", TACTUS_FREEZE_SCHEDULED).cycle = ms(4);
  scribe(bench, trace, "enter", TACTUS_FREEZE_INIT);
  EXPECT_EQ(bench.run(6).outcome, Outcome::completed);
  EXPECT_THAT(trace,
              ElementsAre("enter 0/0", "cyclic 0/0", "auto 1/0", "cyclic 4/0", "cyclic 8/0", "auto 8/0",
                          "end 10/0", "cyclic 12/1", "auto 15/1", "cyclic 16/1", "end 20/1", "leave 20/2",  //
                          "enter 0/0", "cyclic 0/0", "auto 1/0", "cyclic 4/0", "cyclic 8/0", "auto 8/0",
                          "end 10/0", "leave 10/1"));
}

TEST(Freeze, LastsWholeFreezeFrames) {
  struct Row {
    Nanoseconds rest;
    Period freeze_frame;
    int frames;
    const char* why;
  };
  const Row rows[] = {
      {1ns, ms(10), 1, "the least there is"},
      {10ms, ms(10), 1, "exactly one"},
      {10'000'001ns, ms(10), 2, "a little more than one"},
      {1ms, {1'000'000, 3}, 3, "three thirds"},
      {2s, ms(1000), 2, "long ones"},
  };
  for (const Row& row : rows) {
    PlanFixture bench;
    bench.plan.freeze_frame = bench.realtime.freeze_frame = row.freeze_frame;
    bench.plan.commands = {pause(1ms, row.rest)};
    int frames = 0;
    bench.job("end", TACTUS_FREEZE, [&](const tactus_call&) { return ++frames, 0; });
    const auto start = bench.clock.now();
    EXPECT_EQ(bench.run(5).frames, 5) << row.why;
    EXPECT_EQ(frames, row.frames) << row.why;
    EXPECT_EQ(bench.clock.now() - start, row.freeze_frame.times(row.frames)) << row.why;
  }
}

TEST(Freeze, CyclicJobsHavePhasesStartsAndStops) {
  PlanFixture bench;
  bench.plan.freeze_frame = ms(10);
  bench.plan.commands = {pause(0ms, 20ms)};
  std::vector<std::string> trace;
  scribe(bench, trace, "late", TACTUS_FREEZE_SCHEDULED).cycle = ms(5);
  bench.plan.jobs.back().first = ms(5);
  bench.plan.jobs.back().stop = ms(15);
  scribe(bench, trace, "first", TACTUS_FREEZE_SCHEDULED).cycle = ms(5);
  bench.plan.jobs.back().phase = 1;
  bench.plan.jobs.back().first = ms(10);
  scribe(bench, trace, "off", TACTUS_FREEZE_SCHEDULED).enabled = false;
  (void)bench.run(1);
  EXPECT_THAT(trace, ElementsAre("late 5/0", "first 10/1", "late 10/1", "first 15/1", "late 15/1"));
}

TEST(Freeze, AFailureInAnyOfItsClassesEndsTheRigAndNamesTheJob) {
  for (const tactus_job_class job_class : {TACTUS_FREEZE_INIT, TACTUS_FREEZE_SCHEDULED,
                                           TACTUS_FREEZE_AUTOMATIC, TACTUS_FREEZE, TACTUS_UNFREEZE}) {
    PlanFixture bench;
    bench.plan.commands = {pause(3ms, 10ms)};
    bench.job("bad", job_class, [](const tactus_call&) { return 9; }).dynamic =
        job_class == TACTUS_FREEZE_AUTOMATIC;
    const RunEnd end = bench.run(10);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.reason,
              "frame 3: job 'bad' (" + std::string(name_of(job_class)) + ") failed: it returned 9");
    EXPECT_EQ(end.frames, 3);
    EXPECT_EQ(bench.executive->state(), State::disconnect);
  }
}

// ---- commands: a digit is a frame, a star a freeze frame (of 10 ms), R a reset; six frames in all

/// What is asked for at the end of a frame, or in a freeze frame of the first freeze.
struct Request {
  std::int64_t frame = -1;
  std::int64_t freeze_frame = -1;
  std::function<void(Executive&)> act = nullptr;
};
struct Story {
  std::string text;
  RunEnd end;
};

/// No freeze lasts longer than four freeze frames: then somebody resumes.
Story tell(std::vector<TimedCommand> commands, const std::vector<Request>& requests) {
  PlanFixture bench;
  bench.plan.commands = std::move(commands);
  Story story;
  std::vector<Request> waiting = requests;
  const auto act = [&](auto member, std::int64_t at) {
    for (Request& request : waiting)
      if (request.*member == at && request.act) std::exchange(request.act, nullptr)(*bench.executive);
  };
  bench.job("frame", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    story.text += static_cast<char>('0' + call.frame);
    act(&Request::frame, call.frame);
    return 0;
  });
  bench.job("freeze", TACTUS_FREEZE, [&](const tactus_call& call) {
    story.text += '*';
    act(&Request::freeze_frame, call.frame);
    if (call.frame == 3) bench.executive->request_resume();
    return 0;
  });
  bench.job("restart", TACTUS_RESTART, [&](const tactus_call&) { return story.text += 'R', 0; });
  bench.make().restorer().prepare_reset();
  story.end = bench.run(6);
  return story;
}

TEST(TimedCommands, AreCarriedOutAtTheFirstBoundaryNotBeforeTheirTime) {
  struct Row {
    std::vector<TimedCommand> commands;
    const char* story;
    const char* why;
    Outcome outcome = Outcome::completed;
  };
  const Row rows[] = {
      {{}, "012345", "nothing"},
      {{command(2ms, Command::pause)}, "01****2345", "at a boundary: before that frame"},
      {{command(0ms, Command::pause)}, "****012345", "before the first frame"},
      {{command(2'000'001ns, Command::pause)}, "012****345", "in a frame: at its end"},
      {{command(6ms, Command::pause)}, "012345", "after the last frame there is nothing to pause"},
      {{pause(2ms, 20ms)}, "01**2345", "for two freeze frames"},
      {{command(2ms, Command::pause), command(2ms, Command::resume)},
       "01*2345",
       "a resume at the time of a pause"},
      {{command(2ms, Command::resume), command(2ms, Command::pause)},
       "01****2345",
       "in the order of the file"},
      {{pause(2ms, 10ms), pause(2ms, 20ms)}, "01***2345", "one after the other"},
      {{step(1ms, 2)}, "012****345", "step from running"},
      {{step(1ms, 1), command(3ms, Command::pause)}, "01****2****345", "and a pause later"},
      {{command(2ms, Command::pause), step(2ms, 1)}, "01*2****345", "step from frozen"},
      {{step(1ms, 2), pause(2ms, 10ms)}, "01*2****345", "a pause that passes by itself keeps the step"},
      {{step(1ms, 2), command(2ms, Command::pause)}, "01****2345", "a resume forgets it"},
      {{run_until(1ms, 4ms)}, "0123****45", "run_until"},
      {{run_until(1ms, 3'000'001ns)}, "0123****45", "until in a frame: its end"},
      {{run_until(3ms, 1ms)}, "012****345", "until the past: at once"},
      {{run_until(1ms, 4ms), run_until(2ms, 5ms)}, "01234****5", "the last one counts"},
      {{command(3ms, Command::stop)}, "012", "stop", Outcome::stopped},
      {{command(3ms, Command::abort)}, "012", "abort", Outcome::aborted},
      {{command(3ms, Command::stop), command(3ms, Command::abort)},
       "012",
       "abort wins over stop",
       Outcome::aborted},
      {{command(3ms, Command::reset)}, "012R012345", "a reset, once"},
      {{command(3ms, Command::reset), pause(3ms, 10ms)},
       "012R012*345",
       "what comes after it is for the time after it"},
      {{command(3ms, Command::reset), command(3ms, Command::stop)}, "012R012", "likewise", Outcome::stopped},
  };
  for (const Row& row : rows) {
    const Story story = tell(row.commands, {});
    EXPECT_EQ(story.text, row.story) << row.why;
    EXPECT_EQ(story.end.outcome, row.outcome) << row.why;
  }
}

TEST(Requests, OfWhatComesTogetherTheStrongestOrTheLastCounts) {
  using E = Executive;
  const auto pause_now = [](E& e) { e.request_pause(); };
  struct Row {
    std::vector<Request> requests;
    const char* story;
    const char* why;
    Outcome outcome = Outcome::completed;
  };
  const Row rows[] = {
      {{{2, -1, pause_now}}, "012****345", "pause"},
      {{{2, -1, [](E& e) { e.request_pause(), e.request_resume(); }}},
       "012345",
       "the last of pause and resume"},
      {{{2, -1, [](E& e) { e.request_resume(), e.request_pause(); }}},
       "012****345",
       "the last of pause and resume"},
      {{{2, -1, pause_now}, {-1, 0, [](E& e) { e.request_resume(); }}}, "012*345", "resume at once"},
      {{{1, -1, [](E& e) { e.request_step(2); }}}, "0123****45", "step while it runs"},
      {{{1, -1, pause_now}, {-1, 1, [](E& e) { e.request_step(2); }}},
       "01**23****45",
       "step while it is frozen"},
      {{{2, -1, [](E& e) { e.request_pause(), e.request_step(1); }}}, "0123****45", "a step after a pause"},
      {{{2, -1, [](E& e) { e.request_step(1), e.request_pause(); }}},
       "012****345",
       "a pause after a step pauses at once, and the step is dropped"},
      {{{1, -1, pause_now}, {-1, 1, [](E& e) { e.request_step(2), e.request_pause(); }}},
       "01****2345",
       "the same while it is frozen"},
      {{{1, -1, [](E& e) { e.request_run_until(4ms), e.request_pause(); }}},
       "01****2345",
       "a pause after run_until"},
      {{{1, -1, [](E& e) { e.request_step(1), e.request_resume(); }}}, "012345", "a resume after a step"},
      {{{1, -1, pause_now}, {-1, 1, [](E& e) { e.request_step(2), e.request_resume(); }}},
       "01**2345",
       "the same while it is frozen"},
      {{{1, -1, [](E& e) { e.request_step(2); }}, {2, -1, pause_now}},
       "012****345",
       "a pause while a step is under way"},
      {{{1, -1, [](E& e) { e.request_run_until(5ms), e.request_step(1); }}},
       "012****345",
       "a step after run_until"},
      {{{1, -1, [](E& e) { e.request_run_until(4ms); }}}, "0123****45", "run_until"},
      {{{2, -1, [](E& e) { e.request_run_until(1ms); }}}, "012****345", "until the past"},
      {{{2, -1, [](E& e) { e.request_run_until(0ms); }}}, "012****345", "until the beginning"},
      {{{2, -1, [](E& e) { e.request_run_until(3ms); }}}, "012****345", "until now"},
      {{{1, -1, pause_now}, {-1, 1, [](E& e) { e.request_run_until(4ms); }}},
       "01**23****45",
       "until later, frozen"},
      {{{1, -1, pause_now}, {-1, 1, [](E& e) { e.request_run_until(1ms); }}},
       "01****2345",
       "until the past, frozen"},
      {{{1, -1, [](E& e) { e.request_step(1), e.request_run_until(5ms); }}},
       "01234****5",
       "run_until after a step"},
      {{{2, -1, [](E& e) { e.request_reset(); }}}, "012R012345", "reset"},
      {{{2, -1, [](E& e) { e.request_reset(), e.request_stop("enough"); }}},
       "012",
       "stop wins",
       Outcome::stopped},
      {{{2, -1, [](E& e) { e.request_stop("enough"), e.request_abort("fire"); }}},
       "012",
       "abort",
       Outcome::aborted},
      {{{2, -1, pause_now}, {-1, 1, [](E& e) { e.request_stop("enough"); }}},
       "012**",
       "stop, frozen",
       Outcome::stopped},
      {{{2, -1, pause_now}, {-1, 1, [](E& e) { e.request_reset(), e.request_resume(); }}},
       "012**R012345",
       "reset, frozen"},
      {{{2, -1, pause_now}, {-1, 1, [](E& e) { e.request_reset(); }}}, "012**R****012345", "it stays frozen"},
  };
  for (const Row& row : rows) {
    const Story story = tell({}, row.requests);
    EXPECT_EQ(story.text, row.story) << row.why;
    EXPECT_EQ(story.end.outcome, row.outcome) << row.why;
  }
}

TEST(Requests, APauseOutlastsOneOfTheFileThatPassesByItself) {
  using E = Executive;
  const auto pause_now = [](E& e) { e.request_pause(); };
  struct Row {
    Request request;
    const char* story;
    const char* why;
  };
  const Row rows[] = {
      {{}, "01**2345", "the file's alone"},
      {{-1, 0, pause_now}, "01****2345", "while the file's lasts"},
      {{1, -1, pause_now}, "01****2345", "together with the file's"},
      {{-1, 0, [](E& e) { (void)e.request_pause_at(1ms); }}, "01****2345", "for a time that has passed"},
      {{-1, 0, [](E& e) { e.request_resume(); }}, "01*2345", "a resume ends the file's"},
  };
  for (const Row& row : rows) EXPECT_EQ(tell({pause(2ms, 20ms)}, {row.request}).text, row.story) << row.why;
}

TEST(Requests, OfAModelAreThoseOfEverybodyElse) {
  struct Row {
    tactus_command command;
    std::int64_t value;
    const char* story;
  };
  const Row rows[] = {{TACTUS_PAUSE, 0, "01****2345"},
                      {TACTUS_RESUME, 0, "012345"},
                      {TACTUS_STEP, 2, "0123****45"},
                      {TACTUS_STEP, -5, "012****345"},
                      {TACTUS_RUN_UNTIL, 3'000'000, "012****345"},
                      {TACTUS_RUN_UNTIL, -1, "01****2345"},
                      {TACTUS_STOP, 0, "01"},
                      {TACTUS_RESET, 0, "01R012345"},
                      {TACTUS_ABORT, 0, "01"},
                      {TACTUS_SAFE_STATE, 0, "01****2345"}};
  for (const Row& row : rows) {
    const auto act = [&](Executive& e) { EXPECT_TRUE(e.model_requests().command(row.command, row.value)); };
    EXPECT_EQ(tell({}, {{1, -1, act}}).text, row.story) << row.command << " " << row.value;
  }
  (void)tell({},
             {{1, -1, [](Executive& e) { EXPECT_FALSE(e.model_requests().command(tactus_command{}, 0)); }}});
}

TEST(TimedCommands, SwitchJobsAtTheirBoundary) {
  PlanFixture bench;
  TimedCommand off = command(2ms, Command::disable), on = command(4ms, Command::enable),
               nobody = command(4ms, Command::enable);
  off.call.name = on.call.name = "m.step";
  nobody.call.name = "m.nobody";
  bench.plan.commands = {off, nobody, on};
  std::string calls;
  bench.job("m.step", TACTUS_SCHEDULED,
            [&](const tactus_call& call) { return calls += static_cast<char>('0' + call.frame), 0; });
  EXPECT_EQ(bench.run(6).outcome, Outcome::completed);
  EXPECT_EQ(calls, "0145");
}

}  // namespace
}  // namespace tactus::executive::freeze_test
