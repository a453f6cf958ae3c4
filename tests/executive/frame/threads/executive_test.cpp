// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/executive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "executive/frame/safe_output_list.hpp"
#include "executive/model/job_class.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::executive_test {
namespace {

using namespace std::chrono_literals;
using rtsync::OverrunCause;
using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr tactus_job_class kInFrames[] = {TACTUS_TOP_OF_FRAME, TACTUS_ENVIRONMENT, TACTUS_SENSOR,
                                          TACTUS_SCHEDULED,    TACTUS_CONTROLLER,  TACTUS_EFFECTOR,
                                          TACTUS_LOGGING,      TACTUS_DATA_RECORD, TACTUS_END_OF_FRAME};
constexpr tactus_job_class kAll[] = {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION, TACTUS_TOP_OF_FRAME,
                                     TACTUS_ENVIRONMENT,  TACTUS_SENSOR,         TACTUS_SCHEDULED,
                                     TACTUS_CONTROLLER,   TACTUS_EFFECTOR,       TACTUS_LOGGING,
                                     TACTUS_DATA_RECORD,  TACTUS_END_OF_FRAME,   TACTUS_SHUTDOWN};

/// Uses real time up: job times are measured with the machine's counter, whatever the rig's clock is.
void really_take(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

std::string told(const tactus_call& call) {
  return std::to_string(call.sim_time_ns / 1000) + "us/" + std::to_string(call.frame);
}

TEST(Executive, RunsTheClassesInOrderEachInItsState) {
  PlanFixture bench;
  std::vector<std::string> trace;
  for (auto it = std::rbegin(kAll); it != std::rend(kAll); ++it) {
    const std::string name(name_of(*it));
    bench.job(name, *it, [&, name](const tactus_call& call) {
      trace.push_back(name + " " + std::string(name_of(bench.executive->state())) + " " + told(call));
      return 0;
    });
  }
  const RunEnd end = bench.run(2);
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_THAT(trace, ElementsAre("default_data Connect 0us/-1", "initialization Start 0us/-1",
                                 "top_of_frame StepBegin 0us/0", "environment StepSimulator 0us/0",
                                 "sensor StepSimulator 0us/0", "scheduled StepSimulator 0us/0",
                                 "controller StepController 0us/0", "effector StepController 0us/0",
                                 "logging StepController 0us/0", "data_record StepController 0us/0",
                                 "end_of_frame StepEnd 1000us/0", "top_of_frame StepBegin 1000us/1",
                                 "environment StepSimulator 1000us/1", "sensor StepSimulator 1000us/1",
                                 "scheduled StepSimulator 1000us/1", "controller StepController 1000us/1",
                                 "effector StepController 1000us/1", "logging StepController 1000us/1",
                                 "data_record StepController 1000us/1", "end_of_frame StepEnd 2000us/1",
                                 "shutdown Disconnect 2000us/-1"));
}

TEST(Executive, OrdersByPhaseThenDeclarationInListsToo) {
  for (const tactus_job_class job_class : kAll) {
    PlanFixture bench;
    std::string trace;
    const auto add = [&](char name, unsigned phase) {
      bench
          .job({name}, job_class,
               [&trace, name](const tactus_call&) {
                 trace += name;
                 return 0;
               })
          .phase = phase;
    };
    add('a', 7);
    add('b', 65535);
    add('c', 0);
    add('d', 7);
    (void)bench.run(1);
    EXPECT_EQ(trace, "cadb") << name_of(job_class);
  }
}

TEST(Executive, WalksTheStatesOncePerSubFrame) {
  PlanFixture bench;
  std::string trace;
  const auto note = [&](const tactus_call& call) {
    trace += std::string(name_of(bench.executive->state())).substr(4) + "@" + told(call) + " ";
    return 0;
  };
  bench.job("plant", TACTUS_SCHEDULED, note).cycle = Period{500'000, 1};
  bench.job("control", TACTUS_CONTROLLER, note).cycle = Period{500'000, 1};
  (void)bench.run(1);
  EXPECT_EQ(trace, "Simulator@0us/0 Controller@0us/0 Simulator@500us/0 Controller@500us/0 ");
}

TEST(Executive, TellsAJobItsCycle) {
  PlanFixture bench;
  std::map<std::string, double> dt;
  const auto add = [&](const char* name, tactus_job_class job_class, Period cycle) {
    bench
        .job(name, job_class,
             [&dt, name](const tactus_call& call) {
               dt[name] = call.dt;
               return 0;
             })
        .cycle = cycle;
  };
  add("third", TACTUS_SCHEDULED, Period{1'000'000, 3});
  add("slow", TACTUS_CONTROLLER, Period{20'000'000, 1});
  add("top", TACTUS_TOP_OF_FRAME, {});
  add("end", TACTUS_END_OF_FRAME, {});
  add("init", TACTUS_INITIALIZATION, {});
  (void)bench.run(1);
  EXPECT_EQ(dt, (std::map<std::string, double>{
                    {"third", 0.001 / 3}, {"slow", 0.02}, {"top", 0.001}, {"end", 0.001}, {"init", 0.0}}));
}

TEST(Executive, RunsExactlyThePlannedFrames) {
  for (const std::int64_t frames : {0, 1, 2, 1000}) {
    for (const bool realtime : {false, true}) {
      PlanFixture bench;
      bench.realtime.enabled = realtime;
      std::int64_t calls = 0;
      bench.job("count", TACTUS_SCHEDULED, [&](const tactus_call& call) {
        EXPECT_EQ(call.frame, calls);
        ++calls;
        return 0;
      });
      const auto start = bench.clock.now();
      const RunEnd end = bench.run(frames);
      EXPECT_EQ(end.outcome, Outcome::completed);
      EXPECT_EQ(end.reason, "");
      EXPECT_EQ(end.frames, frames);
      EXPECT_EQ(calls, frames);
      EXPECT_EQ(bench.clock.now() - start, realtime ? frames * 1ms : 0ms);
      EXPECT_EQ(bench.executive->latest().frames, frames);
      EXPECT_EQ(bench.executive->latest().sim_time_ns, frames * 1'000'000);
      EXPECT_EQ(bench.executive->state(), State::disconnect);
    }
  }
}

TEST(Executive, DisabledJobsOfAnyClassAreNotCalled) {
  PlanFixture bench;
  int calls = 0;
  for (const tactus_job_class job_class : kAll)
    bench.job("off", job_class, [&](const tactus_call&) { return ++calls; }).enabled = false;
  EXPECT_EQ(bench.run(3).outcome, Outcome::completed);
  EXPECT_EQ(calls, 0);
}

// ---- failures

enum class How { returns, says, throws, throws_an_int };

/// A model with one job that fails in a way and at a call that the test chooses.
template <tactus_job_class Class>
class Failing : public Model {
 public:
  void declare(Declare& d) override { d.job<&Failing::step>("step", static_cast<JobClass>(Class)); }
  int step(const Call&) {
    if (calls++ < good_calls) return 0;
    switch (how) {
      case How::returns:
        return 7;
      case How::says:
        fail("the spring broke");
        return 7;
      case How::throws:
        throw std::runtime_error("no such spring");
      case How::throws_an_int:
        throw 5;
    }
    return 0;
  }
  How how = How::returns;
  int good_calls = 0;
  int calls = 0;
};

const char* expected_text(How how) {
  switch (how) {
    case How::returns:
      return "it returned 7";
    case How::says:
      return "the spring broke";
    case How::throws:
      return "no such spring";
    default:
      return "threw something that is not a std::exception";
  }
}

template <tactus_job_class Class>
void check_failures_in_frames() {
  for (const bool job_times : {false, true}) {
    for (const How how : {How::returns, How::says, How::throws, How::throws_an_int}) {
      PlanFixture bench;
      bench.plan.job_times = job_times;
      ModelInstance& model = bench.model<Failing<Class>>("spring");
      auto& object = PlanFixture::object<Failing<Class>>(model);
      object.how = how;
      object.good_calls = 3;
      int shutdown_calls = 0;
      bench.job("end", TACTUS_SHUTDOWN, [&](const tactus_call&) { return ++shutdown_calls * 0; });
      const RunEnd end = bench.run(10);
      EXPECT_EQ(end.outcome, Outcome::failed);
      EXPECT_EQ(end.reason, "frame 3: job 'spring.step' (" + std::string(name_of(Class)) +
                                ") failed: " + expected_text(how));
      EXPECT_EQ(end.frames, 3);
      EXPECT_EQ(object.calls, 4);
      EXPECT_EQ(shutdown_calls, 1);
      EXPECT_THAT(bench.shutdown_failures, IsEmpty());
    }
  }
}

TEST(ExecutiveFailure, InAnyClassOfAFrameEndsTheRigAndNamesTheJob) {
  check_failures_in_frames<TACTUS_TOP_OF_FRAME>();
  check_failures_in_frames<TACTUS_ENVIRONMENT>();
  check_failures_in_frames<TACTUS_SENSOR>();
  check_failures_in_frames<TACTUS_SCHEDULED>();
  check_failures_in_frames<TACTUS_CONTROLLER>();
  check_failures_in_frames<TACTUS_EFFECTOR>();
  check_failures_in_frames<TACTUS_LOGGING>();
  check_failures_in_frames<TACTUS_DATA_RECORD>();
  check_failures_in_frames<TACTUS_END_OF_FRAME>();
}

TEST(ExecutiveFailure, GoesThroughAbortToStop) {
  for (const tactus_job_class job_class : kInFrames) {
    PlanFixture bench;
    bench.job("bad", job_class, [](const tactus_call&) { return 1; });
    Executive& executive = bench.make();
    executive.run_initialization();
    EXPECT_EQ(executive.run(5).outcome, Outcome::failed);
    EXPECT_EQ(executive.state(), State::stop) << name_of(job_class);
    EXPECT_THAT(executive.run_shutdown(), IsEmpty());
    EXPECT_EQ(executive.state(), State::disconnect);
  }
}

TEST(ExecutiveFailure, EndsTheFrameBeforeTheNextJob) {
  PlanFixture bench;
  int later = 0;
  bench.job("bad", TACTUS_SENSOR, [](const tactus_call&) { return -3; });
  for (const tactus_job_class job_class : {TACTUS_SCHEDULED, TACTUS_DATA_RECORD, TACTUS_END_OF_FRAME})
    bench.job("later", job_class, [&](const tactus_call&) { return ++later * 0; });
  EXPECT_EQ(bench.run(5).reason, "frame 0: job 'bad' (sensor) failed: it returned -3");
  EXPECT_EQ(later, 0);
}

TEST(ExecutiveFailure, OfDefaultDataIsThrownAndTheRigCanBeEnded) {
  PlanFixture bench;
  bench.job("bad", TACTUS_DEFAULT_DATA, [](const tactus_call&) { return 2; });
  int later = 0;
  bench.job("later", TACTUS_DEFAULT_DATA, [&](const tactus_call&) { return ++later * 0; });
  Executive& executive = bench.make();
  try {
    executive.run_default_data();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 'bad' (default_data) failed: it returned 2");
  }
  EXPECT_EQ(later, 0);
  EXPECT_EQ(executive.state(), State::abort);
  EXPECT_THAT(executive.run_shutdown(), IsEmpty());
  EXPECT_EQ(executive.state(), State::disconnect);
}

TEST(ExecutiveFailure, OfInitializationIsThrownAndTheRigCanBeEnded) {
  PlanFixture bench;
  ModelInstance& model = bench.model<Failing<TACTUS_INITIALIZATION>>("spring");
  PlanFixture::object<Failing<TACTUS_INITIALIZATION>>(model).how = How::throws;
  Executive& executive = bench.make();
  executive.run_default_data();
  try {
    executive.run_initialization();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 'spring.step' (initialization) failed: no such spring");
  }
  EXPECT_EQ(executive.state(), State::abort);
  EXPECT_THAT(executive.run_shutdown(), IsEmpty());
}

TEST(ExecutiveFailure, OfAShutdownJobDoesNotKeepTheOthersFromRunning) {
  PlanFixture bench;
  bench.job("one", TACTUS_SHUTDOWN, [](const tactus_call&) { return 1; });
  ModelInstance& model = bench.model<Failing<TACTUS_SHUTDOWN>>("spring");
  PlanFixture::object<Failing<TACTUS_SHUTDOWN>>(model).how = How::throws_an_int;
  int last = 0;
  bench.job("last", TACTUS_SHUTDOWN, [&](const tactus_call&) { return ++last * 0; });
  EXPECT_EQ(bench.run(1).outcome, Outcome::completed);
  EXPECT_THAT(
      bench.shutdown_failures,
      ElementsAre("job 'one' (shutdown) failed: it returned 1",
                  "job 'spring.step' (shutdown) failed: threw something that is not a std::exception"));
  EXPECT_EQ(last, 1);
}

/// Says why its step fails, and does not say why its shutdown fails.
class SaysOnce : public Model {
 public:
  void declare(Declare& d) override {
    d.job<&SaysOnce::step>("step", JobClass::scheduled);
    d.job<&SaysOnce::first>("first", JobClass::shutdown);
    d.job<&SaysOnce::second>("second", JobClass::shutdown);
  }
  int step() { return fail("step is broken"), 1; }
  int first() { return 2; }
  int second() { return fail("second is broken"), 3; }
};

TEST(ExecutiveFailure, TextOfOneJobIsNotToldOfAnother) {
  PlanFixture bench;
  (void)bench.model<SaysOnce>("m");
  EXPECT_EQ(bench.run(1).reason, "frame 0: job 'm.step' (scheduled) failed: step is broken");
  EXPECT_THAT(bench.shutdown_failures, ElementsAre("job 'm.first' (shutdown) failed: it returned 2",
                                                   "job 'm.second' (shutdown) failed: second is broken"));
}

/// Says in frame 1 why it fails, and does not fail; fails in frame 3, and does not say why.
class SaysTooEarly : public Model {
 public:
  void declare(Declare& d) override { d.job<&SaysTooEarly::step>("step", JobClass::scheduled); }
  int step(const Call& call) {
    if (call.frame == 1) fail("it was hot in frame 1");
    return call.frame == 3 ? 7 : 0;
  }
};

TEST(ExecutiveFailure, TextOfACallThatDidNotFailIsNotToldOfALaterOne) {
  PlanFixture bench;
  ModelInstance& model = bench.model<SaysTooEarly>("m");
  bench.make();
  model.set_services(bench.executive->model_requests());
  EXPECT_EQ(bench.run(5).reason, "frame 3: job 'm.step' (scheduled) failed: it returned 7");
}

/// Says more than tactus keeps, and nothing at all.
class Talkative : public Model {
 public:
  void declare(Declare& d) override { d.job<&Talkative::step>("step", JobClass::scheduled); }
  int step() { return fail(text), 1; }
  const char* text = nullptr;
};

TEST(ExecutiveFailure, KeepsTheFirst255BytesOfAText) {
  const std::string text(1000, 'x');
  struct Row {
    const char* said;
    std::string kept;
  };
  const Row rows[] = {
      {text.c_str(), std::string(255, 'x')}, {nullptr, "it returned 1"}, {"", "it returned 1"}};
  for (const Row& row : rows) {
    PlanFixture bench;
    PlanFixture::object<Talkative>(bench.model<Talkative>("m")).text = row.said;
    EXPECT_EQ(bench.run(1).reason, "frame 0: job 'm.step' (scheduled) failed: " + row.kept);
  }
}

// ---- requests

/// Calls `act` in one frame.
void at_frame(PlanFixture& bench, std::int64_t frame, std::function<void(Executive&)> act) {
  bench.job("act", TACTUS_SCHEDULED, [&bench, frame, act = std::move(act)](const tactus_call& call) {
    if (call.frame == frame) act(*bench.executive);
    return 0;
  });
}

TEST(ExecutiveRequest, StopAndAbortAreTakenAtTheEndOfTheFrame) {
  struct Row {
    std::function<void(Executive&)> act;
    Outcome outcome;
    const char* reason;
  };
  const Row rows[] = {
      {[](Executive& e) { e.request_stop("enough"); }, Outcome::stopped, "enough"},
      {[](Executive& e) { e.request_abort("fire"); }, Outcome::aborted, "fire"},
      {[](Executive& e) { e.request_stop("enough"), e.request_abort("fire"); }, Outcome::aborted, "fire"},
      {[](Executive& e) { e.request_abort("fire"), e.request_stop("enough"); }, Outcome::aborted, "fire"},
      {[](Executive& e) { e.request_pause(), e.request_stop("enough"); }, Outcome::stopped, "enough"},
      {[](Executive& e) { e.request_pause(), e.request_abort("fire"); }, Outcome::aborted, "fire"},
  };
  for (const bool realtime : {false, true}) {
    for (const Row& row : rows) {
      PlanFixture bench;
      bench.realtime.enabled = realtime;
      at_frame(bench, 5, row.act);
      int ends = 0;
      bench.job("end", TACTUS_END_OF_FRAME, [&](const tactus_call&) { return ++ends * 0; });
      bool paused = false;
      bench.sleeper.on_wait = [&](int) { paused = paused || bench.executive->state() == State::pause; };
      const RunEnd end = bench.run(100);
      EXPECT_EQ(end.outcome, row.outcome);
      EXPECT_EQ(end.reason, row.reason);
      EXPECT_EQ(end.frames, 6);
      EXPECT_EQ(ends, 6);
      EXPECT_FALSE(paused) << "stop and abort win over pause";
      EXPECT_NE(bench.executive->latest().state, State::pause);
      EXPECT_EQ(bench.executive->abort_requested(), row.outcome == Outcome::aborted);
    }
  }
}

TEST(ExecutiveRequest, StopAndAbortBeforeTheFirstFrame) {
  for (const bool abort : {false, true}) {
    PlanFixture bench;
    int calls = 0;
    bench.job("j", TACTUS_SCHEDULED, [&](const tactus_call&) { return ++calls; });
    bench.make();
    abort ? bench.executive->request_abort("no") : bench.executive->request_stop("no");
    const RunEnd end = bench.run(10);
    EXPECT_EQ(end.outcome, abort ? Outcome::aborted : Outcome::stopped);
    EXPECT_EQ(end.frames, 0);
    EXPECT_EQ(calls, 0);
  }
}

TEST(ExecutiveRequest, AStopInTheLastFrameIsStillAStop) {
  PlanFixture bench;
  at_frame(bench, 9, [](Executive& e) { e.request_stop("enough"); });
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.frames, 10);
  EXPECT_EQ(end.outcome, Outcome::stopped);
}

TEST(ExecutiveRequest, AFailureWinsOverEveryRequest) {
  PlanFixture bench;
  at_frame(bench, 2, [](Executive& e) { e.request_abort("fire"), e.request_stop("enough"); });
  bench.job("bad", TACTUS_EFFECTOR, [](const tactus_call& call) { return call.frame == 2 ? 1 : 0; });
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.frames, 2);
}

TEST(ExecutiveRequest, APauseHoldsSimulatedTimeUntilResumed) {
  for (const bool realtime : {false, true}) {
    PlanFixture bench;
    bench.realtime.enabled = realtime;
    at_frame(bench, 3, [](Executive& e) { e.request_pause(); });
    std::vector<std::int64_t> frames;
    bench.job("count", TACTUS_SCHEDULED, [&](const tactus_call& call) {
      frames.push_back(call.sim_time_ns / 1'000'000);
      return 0;
    });
    int paused = 0;
    bench.sleeper.on_wait = [&](int) {
      if (bench.executive->state() != State::pause) return;
      EXPECT_EQ(bench.executive->latest().state, State::pause);
      EXPECT_EQ(bench.executive->latest().frames, 4);
      EXPECT_EQ(bench.executive->latest().sim_time_ns, 4'000'000);
      if (++paused == 5) bench.executive->request_resume();
    };
    const auto start = bench.clock.now();
    const RunEnd end = bench.run(8);
    EXPECT_EQ(end.outcome, Outcome::completed);
    EXPECT_EQ(end.frames, 8);
    EXPECT_THAT(frames, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(paused, 5);
    // five freeze frames of 10 ms, whatever the rest takes
    EXPECT_EQ(bench.clock.now() - start, realtime ? 58ms : 50ms);
    EXPECT_EQ(bench.executive->totals().overruns, 0);
    EXPECT_EQ(bench.executive->totals().late_wakes, 0);
  }
}

TEST(ExecutiveRequest, StopAndAbortAreHeardInThePause) {
  for (const bool abort : {false, true}) {
    PlanFixture bench;
    at_frame(bench, 1, [](Executive& e) { e.request_pause(); });
    bench.sleeper.on_wait = [&](int wait) {
      if (wait == 3) abort ? bench.executive->request_abort("fire") : bench.executive->request_stop("enough");
    };
    const RunEnd end = bench.run(10);
    EXPECT_EQ(end.outcome, abort ? Outcome::aborted : Outcome::stopped);
    EXPECT_EQ(end.frames, 2);
  }
}

TEST(ExecutiveRequest, APauseAtTheLastFrameIsNotTaken) {
  PlanFixture bench;
  at_frame(bench, 4, [](Executive& e) { e.request_pause(); });
  EXPECT_EQ(bench.run(5).outcome, Outcome::completed);
  EXPECT_EQ(bench.sleeper.waits, 0);
}

TEST(ExecutiveRequest, AResumeOfARunningRigIsForgotten) {
  PlanFixture bench;
  at_frame(bench, 1, [](Executive& e) { e.request_resume(); });
  at_frame(bench, 3, [](Executive& e) { e.request_pause(); });
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 2) bench.executive->request_resume();
  };
  EXPECT_EQ(bench.run(10).frames, 10);
  EXPECT_EQ(bench.sleeper.waits, 3);
}

TEST(ExecutiveRequest, MayComeFromOtherThreads) {
  PlanFixture bench;
  bench.plan.job_times = true;
  bench.realtime.enabled = true;
  std::atomic<std::int64_t> frame{0};
  bench.job("j", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    frame.store(call.frame);
    if (call.frame % 7 == 3) bench.clock.advance(2ms);  // so that there are notes
    return 0;
  });
  bench.sleeper.on_wait = [](int) { std::this_thread::yield(); };
  Executive& executive = bench.make();
  executive.run_initialization();
  RunEnd end;
  std::thread frames([&] { end = executive.run(INT64_MAX); });
  FrameNote note;
  const auto until = [&](auto&& condition) {
    while (!condition()) {
      (void)executive.latest();
      while (executive.accounts().pop(note)) EXPECT_TRUE(note.timing.paced);
      std::this_thread::yield();
    }
  };
  until([&] { return frame.load() > 50; });
  executive.request_pause();
  until([&] { return executive.latest().state == State::pause; });
  const std::int64_t held = frame.load();
  EXPECT_TRUE(executive.model_requests().enable_job("j", true));
  EXPECT_EQ(executive.latest().frames, held + 1);
  EXPECT_LE(executive.statistics().work.count(), static_cast<std::uint64_t>(held + 1));
  executive.request_resume();
  until([&] { return frame.load() > held + 50; });
  executive.request_stop("enough");
  frames.join();
  EXPECT_EQ(end.outcome, Outcome::stopped);
  EXPECT_EQ(end.frames, frame.load() + 1);
}

// ---- jobs switched at run time

TEST(ExecutiveJobs, AreSwitchedByNameAndKeepTheirPhase) {
  PlanFixture bench;
  std::vector<std::int64_t> calls;
  auto& job = bench.job("m.slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    calls.push_back(call.sim_time_ns / 1'000'000);
    return 0;
  });
  job.cycle = Period{3'000'000, 1};
  at_frame(bench, 1, [](Executive& e) { EXPECT_TRUE(e.model_requests().enable_job("m.slow", false)); });
  at_frame(bench, 7, [](Executive& e) { EXPECT_TRUE(e.model_requests().enable_job("m.slow", true)); });
  int tops = 0;
  bench.job("top", TACTUS_TOP_OF_FRAME, [&](const tactus_call&) { return ++tops, 0; });
  bench.make();
  EXPECT_FALSE(bench.executive->model_requests().enable_job("m.slo", false));
  EXPECT_FALSE(bench.executive->model_requests().enable_job("", false));
  EXPECT_TRUE(bench.executive->model_requests().enable_job("top", false)) << "jobs of frames too";
  (void)bench.run(14);
  EXPECT_THAT(calls, ElementsAre(0, 9, 12));
  EXPECT_EQ(tops, 0);
}

TEST(ExecutiveJobs, AreMeasuredEachCallOnce) {
  PlanFixture bench;
  bench.plan.job_times = true;
  const auto nothing = [](const tactus_call&) { return 0; };
  for (const tactus_job_class job_class : kAll)
    bench.job(std::string(name_of(job_class)), job_class, nothing);
  bench.job("fast", TACTUS_SCHEDULED, nothing).cycle = Period{250'000, 1};
  bench.job("slow", TACTUS_SCHEDULED, nothing).cycle = Period{10'000'000, 1};
  bench.job("off", TACTUS_SCHEDULED, nothing).enabled = false;
  (void)bench.run(100);
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < bench.plan.jobs.size(); ++i)
    counts[bench.plan.jobs[i].name] = bench.executive->job_times(i).count();
  for (const tactus_job_class job_class : kInFrames) EXPECT_EQ(counts[std::string(name_of(job_class))], 100U);
  EXPECT_EQ(counts["fast"], 400U);
  EXPECT_EQ(counts["slow"], 10U);
  EXPECT_EQ(counts["off"], 0U);
  EXPECT_EQ(counts["initialization"], 0U) << "only what runs in frames is measured";
}

TEST(ExecutiveJobs, TimesAreTheirOwn) {
  PlanFixture bench;
  bench.plan.job_times = true;
  bench.job("light", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; });
  bench.job("heavy", TACTUS_CONTROLLER, [&](const tactus_call&) {
    bench.clock.advance(20ms);  // the counter where there is no time-stamp counter
    really_take(20ms);
    return 0;
  });
  (void)bench.run(3);
  EXPECT_GE(bench.executive->job_times(1).min(), 19ms);
  EXPECT_LT(bench.executive->job_times(0).min(), bench.executive->job_times(1).min());
}

/// Asks tactus for things while it runs.
class Asking : public Model {
 public:
  void declare(Declare& d) override {
    asked_too_early = enable_job("m.step", true);
    d.job<&Asking::step>("step", JobClass::scheduled);
  }
  void step(const Call& call) {
    if (call.frame == 2) found = enable_job("other", false);
    if (call.frame == 3) found_none = enable_job("nobody", false);
    if (call.frame == 5) (void)enable_job("other", true);
    if (call.frame == 3) set_realtime(true);
    if (call.frame == 6) set_realtime(false);
  }
  bool asked_too_early = true, found = false, found_none = true;
};

TEST(ExecutiveJobs, AModelMayAskForSwitches) {
  for (const bool forbidden : {false, true}) {
    PlanFixture bench;
    ModelInstance& model = bench.model<Asking>("m");
    std::vector<std::int64_t> calls;
    bench.job("other", TACTUS_SCHEDULED, [&](const tactus_call& call) {
      calls.push_back(call.frame);
      return 0;
    });
    Executive& executive = bench.make();
    model.set_services(executive.model_requests());
    if (forbidden) executive.model_requests().forbid_realtime();
    const auto start = bench.clock.now();
    (void)bench.run(10);
    EXPECT_EQ(bench.clock.now() - start, forbidden ? 0ms : 3ms) << "frames 4, 5 and 6 are paced";
    const auto& asked = PlanFixture::object<Asking>(model);
    EXPECT_FALSE(asked.asked_too_early);
    EXPECT_TRUE(asked.found);
    EXPECT_FALSE(asked.found_none);
    EXPECT_EQ(calls.front(), 0);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 4), 0);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 6), 1);
  }
}

// ---- real time

TEST(ExecutiveRealtime, CountsWorkSlackAndLateness) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 2 ? 700us : 300us);
    return 0;
  });
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 3) bench.sleeper.late = 50us;  // frame 4 begins late
  };
  (void)bench.run(6);
  const FrameStatistics& statistics = bench.executive->statistics();
  EXPECT_EQ(statistics.work.count(), 6U);
  EXPECT_EQ(statistics.work.max(), 700us);
  EXPECT_EQ(statistics.work.min(), 300us);
  EXPECT_EQ(statistics.slack.min(), 300us);
  EXPECT_EQ(statistics.slack.max(), 700us);
  EXPECT_EQ(statistics.late.max(), 50us);
}

TEST(ExecutiveRealtime, TheFrameThatEndsTheRigIsCountedToo) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 2 ? 200ms : 300us);
    return call.frame == 2 ? 1 : 0;
  });
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 1) bench.sleeper.late = 400us;  // frame 2 begins late
  };
  const RunEnd end = bench.run(6);
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_EQ(end.frames, 2) << "of those that were run to their end";
  const FrameStatistics& statistics = bench.executive->statistics();
  EXPECT_EQ(statistics.work.count(), 3U);
  EXPECT_EQ(statistics.work.max(), 200ms);
  EXPECT_EQ(statistics.late.max(), 400us);
  EXPECT_EQ(bench.executive->totals().overruns, 1);
  EXPECT_EQ(bench.executive->totals().overruns_by_work, 1);
  EXPECT_EQ(bench.executive->totals().late_wakes, 1);
}

TEST(ExecutiveRealtime, WithoutRealTimeOnlyWorkIsMeasured) {
  PlanFixture bench;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call&) { return bench.clock.advance(5ms), 0; });
  (void)bench.run(6);
  EXPECT_EQ(bench.executive->statistics().work.count(), 6U);
  EXPECT_EQ(bench.executive->statistics().behind.count(), 0U) << "its clock stands still between frames";
  EXPECT_EQ(bench.executive->statistics().slack.count(), 0U);
  EXPECT_EQ(bench.executive->statistics().late.count(), 0U);
  EXPECT_EQ(bench.executive->totals().overruns, 0);
  FrameNote note;
  EXPECT_FALSE(bench.executive->accounts().pop(note));
}

TEST(ExecutiveRealtime, VariablesDescribeTheFrameBefore) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  std::vector<RealtimeVariables> seen;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    seen.push_back(bench.rt);
    bench.clock.advance(call.frame == 1 ? 2500us : 300us);
    return 0;
  });
  (void)bench.run(6);
  struct Row {
    std::int64_t frame, late, work, slack, overruns;
    OverrunCause cause;
  };
  const Row rows[] = {
      {-1, 0, 0, 0, 0, OverrunCause::none},
      {0, 0, 300, 700, 0, OverrunCause::none},
      {1, 0, 2500, -1500, 1, OverrunCause::work},
      {2, 1500, 300, -800, 2, OverrunCause::catching_up},
      {3, 800, 300, -100, 3, OverrunCause::catching_up},
      {4, 100, 300, 600, 3, OverrunCause::none},
  };
  ASSERT_EQ(seen.size(), std::size(rows));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].frame, rows[i].frame);
    EXPECT_EQ(seen[i].late, rows[i].late * 1000) << i;
    EXPECT_EQ(seen[i].work, rows[i].work * 1000) << i;
    EXPECT_EQ(seen[i].slack, rows[i].slack * 1000) << i;
    EXPECT_EQ(seen[i].overruns, rows[i].overruns) << i;
    EXPECT_EQ(seen[i].overrun, static_cast<std::int32_t>(rows[i].cause)) << i;
  }
}

TEST(ExecutiveRealtime, FramesThatCatchUpNameTheOneThatAllBeganWith) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 1 ? 2500us : 300us);
    return 0;
  });
  (void)bench.run(6);
  FrameNote note;
  for (const std::int64_t frame : {1, 2, 3}) {
    ASSERT_TRUE(bench.executive->accounts().pop(note));
    EXPECT_EQ(note.timing.frame, frame);
    EXPECT_EQ(note.overrun.frame, 1);
    EXPECT_EQ(note.overrun.cause == rtsync::Cause::catching_up, frame > 1);
  }
  EXPECT_FALSE(bench.executive->accounts().pop(note));
}

/// Frame 5 is woken that late and works that long; others take 300 us.
std::vector<FrameNote> notes_of(std::chrono::nanoseconds late, std::chrono::nanoseconds work,
                                std::vector<RealtimeVariables>* seen = nullptr) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (seen != nullptr) seen->push_back(bench.rt);
    bench.clock.advance(call.frame == 5 ? work : 300us);
    return 0;
  });
  bench.sleeper.on_wait = [&](int wait) { bench.sleeper.late = wait == 4 ? late : 0ns; };
  (void)bench.run(70);
  std::vector<FrameNote> notes;
  for (FrameNote note; bench.executive->accounts().pop(note);) notes.push_back(note);
  return notes;
}

TEST(ExecutiveRealtime, AFrameWithTwoCausesHasTheOneWithTheLargerShareAndTheOtherBesideIt) {
  using rtsync::LatePart;
  const struct {
    std::chrono::nanoseconds late, work, beside;
    LatePart named;
    bool other;
    OverrunCause overrun;
    const char* why;
  } rows[] = {
      {9ms, 1300us, 930us, LatePart::wake, true, OverrunCause::late_wake, "a tenth was work"},
      {3ms, 1800us, 1266us, LatePart::wake, true, OverrunCause::late_wake, "a third was work"},
      {500us, 2300us, 360us, LatePart::job, true, OverrunCause::work, "a fifth was the wake"},
      {9ms, 700us, 370us, LatePart::wake, true, OverrunCause::late_wake, "a twenty-fourth was work"},
      {9ms, 400us, 0us, LatePart::wake, false, OverrunCause::late_wake, "less than a fiftieth was work"},
      {900us, 300us, 0us, LatePart::wake, false, OverrunCause::late_wake, "it worked as usual"},
      {150us, 990us, 25us, LatePart::job, true, OverrunCause::late_wake, "most of the excess was work"},
      {50us, 1300us, 0us, LatePart::job, false, OverrunCause::work, "it was woken within the limit"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    std::vector<RealtimeVariables> seen;
    const std::vector<FrameNote> notes = notes_of(row.late, row.work, &seen);
    ASSERT_FALSE(notes.empty());
    const FrameNote& note = notes.front();
    ASSERT_EQ(note.timing.frame, 5);
    EXPECT_EQ(note.timing.overrun, row.overrun);
    EXPECT_EQ(note.overrun.facts.part, row.named);
    EXPECT_EQ(note.beside.cause != rtsync::Cause::none, row.other);
    EXPECT_NEAR(static_cast<double>(note.beside_share.count()), static_cast<double>(row.beside.count()),
                10'000);
    EXPECT_EQ(seen[6].cause, static_cast<std::int32_t>(note.overrun.cause));
    EXPECT_EQ(seen[6].beside, static_cast<std::int32_t>(note.beside.cause));
    EXPECT_EQ(seen[6].beside_time, note.beside_share.count());
    EXPECT_EQ(seen[4].beside_time, 0) << "it was on time";
    for (std::size_t i = 1; i < notes.size(); ++i) {
      EXPECT_EQ(notes[i].overrun.cause, rtsync::Cause::catching_up);
      EXPECT_EQ(notes[i].overrun.frame, 5);
    }
  }
}

TEST(ExecutiveRealtime, AFrameThatIsALittleTooLongWhileABurstIsCaughtUpIsStillLateByTheBurst) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 9 ? 1200us : 300us);
    return 0;
  });
  bench.sleeper.on_wait = [&](int wait) { bench.sleeper.late = wait == 4 ? 9ms : 0ms; };
  (void)bench.run(30);
  FrameNote note;
  while (bench.executive->accounts().pop(note) && note.timing.frame < 9) continue;
  EXPECT_EQ(note.timing.overrun, OverrunCause::catching_up);
  EXPECT_EQ(note.overrun.cause, rtsync::Cause::catching_up);
  EXPECT_EQ(note.overrun.frame, 5);
  EXPECT_EQ(note.beside.facts.part, rtsync::LatePart::job);
  EXPECT_GT(note.beside_share, 500us);
  EXPECT_LT(note.beside_share, 1ms);
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.overrun.frame, 5) << "those behind it, too";
}

TEST(ExecutiveRealtime, ARigThatAlwaysTakesTooLongDoesSoInEachFrame) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call&) { return bench.clock.advance(1100us), 0; });
  (void)bench.run(30);
  EXPECT_EQ(bench.executive->totals().overruns_by_work, 30);
  FrameNote note;
  while (bench.executive->accounts().pop(note)) {
    EXPECT_EQ(note.overrun.facts.part, rtsync::LatePart::job);
    EXPECT_EQ(note.beside.cause, rtsync::Cause::none);
    EXPECT_EQ(note.overrun.frame, note.timing.frame);
  }
}

TEST(ExecutiveRealtime, UsualWorkIsNoCauseAtASlowerRatioEither) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 0) bench.sync->set_ratio(0.5);
    bench.clock.advance(call.frame == 0 ? 300us : 1500us);
    return 0;
  });
  bench.sleeper.on_wait = [&](int wait) { bench.sleeper.late = wait == 59 ? 3ms : 0ms; };
  (void)bench.run(70);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 60);
  EXPECT_EQ(note.timing.period, 2ms);
  EXPECT_EQ(note.timing.slack, -2500us);
  EXPECT_EQ(note.overrun.facts.part, rtsync::LatePart::wake);
  EXPECT_EQ(note.beside.cause, rtsync::Cause::none) << "1.5 ms fit into 2 ms, and are usual";
}

TEST(ExecutiveRealtime, NotesSayWhichJobWasLongestAndHowItWasBefore) {
  PlanFixture bench;
  bench.plan.job_times = true;
  bench.realtime.enabled = true;
  bench.job("light", TACTUS_ENVIRONMENT, [](const tactus_call&) { return 0; });
  bench.job("heavy", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(100us + call.frame * 10us);
    if (call.frame == 7) {
      bench.clock.advance(5ms);
      really_take(20ms);
    }
    return 0;
  });
  (void)bench.run(8);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 7);
  EXPECT_EQ(note.timing.overrun, OverrunCause::work);
  EXPECT_EQ(note.timing.slack, 1ms - 5170us);
  ASSERT_LT(note.longest_job, bench.plan.jobs.size());
  EXPECT_EQ(bench.plan.jobs[note.longest_job].name, "heavy");
  EXPECT_GE(note.longest_job_ns, 5'000'000);
  EXPECT_THAT(note.slack_before, ElementsAre(880'000, 870'000, 860'000, 850'000, 840'000));
  EXPECT_FALSE(bench.executive->accounts().pop(note));
}

TEST(ExecutiveRealtime, TheLogOfAFrameHasRoomForAllItsInstants) {
  PlanFixture bench;
  bench.plan.job_times = true;
  bench.job("fast", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).cycle = Period{2'000, 1};
  std::ptrdiff_t logged = 0;
  bench.job("last", TACTUS_END_OF_FRAME, [&](const tactus_call&) {
    Program& program = bench.executive->program();
    const std::uint32_t fast = program.find("fast");
    logged =
        std::ranges::count_if(program.lane(0).log(), [fast](const JobEnd& end) { return end.job == fast; });
    return 0;
  });
  (void)bench.run(3);
  EXPECT_EQ(logged, 500) << "a job that is not there cannot be the cause of a late frame";
}

TEST(ExecutiveRealtime, AFrameWithMoreCallsThanItsLogHasRoomForBlamesNoneOfThem) {
  PlanFixture bench;
  bench.plan.job_times = true;
  bench.realtime.enabled = true;
  bench.job("m.slow", TACTUS_ENVIRONMENT, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 5 ? 3ms : 100us);
    return 0;
  });
  PlannedJob& often = bench.job("m.often", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    const std::int64_t in_frame = call.sim_time_ns % 1'000'000;
    const std::int64_t then = call.sim_time_ns + (in_frame < 900'000 ? 1'000 : 1'000'000 - in_frame);
    (void)bench.executive->model_requests().call_at("m", "often", then);
    return 0;
  });
  often.dynamic = true;
  (void)bench.run(7);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 5);
  EXPECT_TRUE(bench.executive->program().lane(0).is_cut());
  EXPECT_EQ(note.overrun.facts.part, rtsync::LatePart::job);
  EXPECT_EQ(note.overrun.job, Finding::kNoJob) << "the work of the frame as a whole";
  EXPECT_FALSE(note.overrun.facts.for_others);
}

TEST(ExecutiveRealtime, NotesHaveTheSlackOfTheFramesInRealTimeRightBeforeAlone) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.realtime.overrun.on_overrun = rtsync::OnOverrun::skip;
  bench.job("work", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 8) bench.sync->disable();
    if (call.frame == 20) bench.sync->enable();
    bench.clock.advance(call.frame == 2 || call.frame == 24 ? 1500us : 100us);
    return 0;
  });
  (void)bench.run(30);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 2);
  EXPECT_EQ(note.frames_before, 2U);
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 24);
  EXPECT_EQ(note.frames_before, 3U) << "21, 22 and 23";
  EXPECT_THAT(note.slack_before, ElementsAre(900'000, 900'000, 900'000, 900'000, 900'000));
}

TEST(ExecutiveRealtime, ALateWakeLeavesANoteOfItsOwn) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 4) bench.sleeper.late = 150us;
  };
  (void)bench.run(10);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 5);
  EXPECT_TRUE(note.timing.late_wake);
  EXPECT_EQ(note.timing.overrun, OverrunCause::none);
  EXPECT_EQ(note.timing.late, 150us);
  EXPECT_EQ(note.longest_job, FrameNote::kNoJob);
  EXPECT_EQ(bench.executive->totals().late_wakes, 1);
  EXPECT_EQ(bench.executive->totals().overruns, 0);
}

TEST(ExecutiveRealtime, NotesThatDoNotFitAreCounted) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call&) { return bench.clock.advance(2ms), 0; });
  (void)bench.run(5000);
  std::int64_t notes = 0;
  FrameNote note;
  std::int64_t last = -1;
  while (bench.executive->accounts().pop(note)) {
    EXPECT_GT(note.timing.frame, std::exchange(last, note.timing.frame));
    ++notes;
  }
  EXPECT_GE(notes, 1700) << "those of two causes";
  EXPECT_EQ(bench.executive->accounts().notes_lost(), static_cast<std::uint64_t>(5000 - notes));
  EXPECT_EQ(bench.executive->totals().overruns, 5000);
}

TEST(ExecutiveRealtime, TooManyOverrunsInARowEndTheRig) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.realtime.overrun.max_consecutive_overruns = 3;
  bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame >= 4 ? 2ms : 100us);
    return 0;
  });
  const RunEnd end = bench.run(100);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason,
            "frame 6: 3 overruns in a row (or not yet forgiven) reached max_consecutive_overruns");
  EXPECT_EQ(end.frames, 7);
}

TEST(ExecutiveRealtime, OverrunsThatAreNotForgivenAreCountedInTheReason) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.realtime.overrun.max_consecutive_overruns = 3;
  bench.realtime.overrun.recovery_frames = 10;
  bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame % 3 == 0 ? 1500us : 100us);
    return 0;
  });
  const RunEnd end = bench.run(100);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason,
            "frame 6: 3 overruns in a row (or not yet forgiven) reached max_consecutive_overruns");
}

TEST(ExecutiveRealtime, TheReasonHasTheOverrunThatReachedTheMaximumAlsoAfterALongerOne) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.realtime.overrun.max_overrun = 3ms;
  bench.realtime.overrun.at_maximum = rtsync::AtMaximum::freeze;
  int calls = 0;
  bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 2 ? (++calls == 1 ? 9ms : 5ms) : 100us);
    return 0;
  });
  bench.make().restorer().prepare_reset();
  int paused = 0;
  bench.sleeper.on_wait = [&](int) {
    if (bench.executive->state() != State::pause) return;
    if (++paused == 1)
      bench.executive->request_reset();
    else
      bench.executive->request_resume();
  };
  const RunEnd end = bench.run(100);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason, "frame 2: an overrun of 4.00 ms reached max_overrun");
}

TEST(ExecutiveRealtime, ASingleOverrunThatIsTooLongEndsTheRig) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.realtime.overrun.max_overrun = 3ms;
  bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    bench.clock.advance(call.frame == 4 ? 5ms : 100us);
    return 0;
  });
  const RunEnd end = bench.run(100);
  EXPECT_EQ(end.outcome, Outcome::overrun);
  EXPECT_EQ(end.reason, "frame 4: an overrun of 4.00 ms reached max_overrun");
  EXPECT_EQ(end.frames, 5);
}

TEST(ExecutiveRealtime, FreezesAtTheMaximumAndEndsWhenItIsResumed) {
  enum class Then { resume, stop, abort };
  struct Row {
    Then then;
    Outcome outcome;
  };
  const Row rows[] = {
      {Then::resume, Outcome::overrun}, {Then::stop, Outcome::overrun}, {Then::abort, Outcome::aborted}};
  for (const Row& row : rows) {
    PlanFixture bench;
    bench.realtime.enabled = true;
    bench.realtime.overrun.max_consecutive_overruns = 2;
    bench.realtime.overrun.at_maximum = rtsync::AtMaximum::freeze;
    int calls = 0;
    bench.job("slow", TACTUS_SCHEDULED, [&](const tactus_call&) {
      ++calls;
      return bench.clock.advance(2ms), 0;
    });
    int paused = 0;
    bench.sleeper.on_wait = [&](int) {
      Executive& executive = *bench.executive;
      EXPECT_EQ(executive.state(), State::pause);
      EXPECT_EQ(executive.latest().state, State::pause);
      if (++paused < 4) return;
      if (row.then == Then::resume) executive.request_resume();
      if (row.then == Then::stop) executive.request_stop("enough");
      if (row.then == Then::abort) executive.request_abort("fire");
    };
    const RunEnd end = bench.run(100);
    EXPECT_EQ(end.outcome, row.outcome);
    EXPECT_EQ(end.frames, 2);
    EXPECT_EQ(calls, 2) << "no frame runs after the freeze";
    EXPECT_EQ(paused, 4);
    if (row.outcome != Outcome::overrun) continue;
    EXPECT_EQ(end.reason,
              "frame 1: 2 overruns in a row (or not yet forgiven) reached max_consecutive_overruns");
  }
}

TEST(ExecutiveRealtime, CanBeSwitchedInTheMiddleOfARun) {
  PlanFixture bench;
  at_frame(bench, 3, [&](Executive&) { bench.sync->enable(); });
  at_frame(bench, 7, [&](Executive&) { bench.sync->disable(); });
  std::vector<bool> paced;
  bench.job("end", TACTUS_TOP_OF_FRAME, [&](const tactus_call&) {
    paced.push_back(bench.sync->active());
    return 0;
  });
  const auto start = bench.clock.now();
  (void)bench.run(12);
  EXPECT_THAT(paced,
              ElementsAre(false, false, false, false, true, true, true, true, false, false, false, false));
  EXPECT_EQ(bench.clock.now() - start, 4ms);
}

TEST(ExecutiveRealtime, ASleeperThatBreaksAbortsTheRig) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.sleeper.on_wait = [&](int wait) { bench.sleeper.lost = wait == 2; };
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(end.reason, "the sleeper 'sim' cannot wait any more");
  EXPECT_EQ(end.frames, 3);
}

TEST(ExecutiveRealtime, ASleeperThatBreaksInThePauseAbortsTheRig) {
  PlanFixture bench;
  at_frame(bench, 0, [](Executive& e) { e.request_pause(); });
  bench.sleeper.on_wait = [&](int wait) { bench.sleeper.lost = wait == 2; };
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(end.frames, 1);
}

TEST(ExecutiveRealtime, ASleeperThatCannotBeHadIsThrownAndTheRigCanBeEnded) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.sleeper.refuses = true;
  Executive& executive = bench.make();
  executive.run_initialization();
  EXPECT_THROW((void)executive.run(10), std::system_error);
  EXPECT_EQ(executive.state(), State::abort);
  EXPECT_THAT(executive.run_shutdown(), IsEmpty());
}

/// An output that tells what was done to it.
class Output final : public SafeOutput {
 public:
  bool drive_safe() TACTUS_RT override {
    ++times_safe;
    return works;
  }
  const char* frame_ended() TACTUS_RT override { return ++turns > 3 ? trouble : nullptr; }

  using SafeOutput::ended;
  int times_safe = 0;
  int turns = 0;
  bool works = true;
  const char* trouble = nullptr;
};

TEST(ExecutiveOutputs, AreDrivenSafeForGoodAtTheEndAndToldOfEachFrame) {
  PlanFixture bench;
  Output output;
  bench.plan.safe_outputs = {&output};
  EXPECT_EQ(bench.run(5).outcome, Outcome::completed);
  EXPECT_EQ(output.times_safe, 1);
  EXPECT_TRUE(output.ended());
  EXPECT_EQ(output.turns, 5);
}

TEST(ExecutiveOutputs, AreDrivenSafeBeforeAPauseWhereAModelAsksForTheSafeState) {
  PlanFixture bench;
  Output output;
  bench.plan.safe_outputs = {&output};
  int in_pause = -1;
  at_frame(bench, 2, [&](Executive& e) {
    EXPECT_TRUE(e.model_requests().command(TACTUS_SAFE_STATE, 0));
    EXPECT_EQ(output.times_safe, 0) << "the frame may still write outputs";
  });
  bench.job("m.freeze", TACTUS_FREEZE, [&](const tactus_call&) {
    in_pause = output.times_safe;
    EXPECT_FALSE(output.ended());
    bench.executive->request_resume();
    return 0;
  });
  EXPECT_EQ(bench.run(5).outcome, Outcome::completed);
  EXPECT_EQ(in_pause, 1);
  EXPECT_EQ(output.times_safe, 2) << "once more at the end";
}

TEST(ExecutiveOutputs, OneThatRefusesIsRemembered) {
  PlanFixture bench;
  Output output;
  output.works = false;
  bench.plan.safe_outputs = {&output};
  (void)bench.run(5);
  EXPECT_TRUE(bench.executive->output_stuck());
  EXPECT_EQ(output.times_safe, 1);
}

TEST(ExecutiveOutputs, OneThatRefusedOnceIsRememberedThoughItWorksAtTheEnd) {
  Output output;
  SafeOutput* const outputs[] = {&output};
  SafeOutputList list(outputs);
  output.works = false;
  list.drive_safe();
  output.works = true;
  EXPECT_TRUE(list.end_safe());
  EXPECT_TRUE(list.stuck());
}

TEST(ExecutiveOutputs, TroubleOfOneEndsTheRig) {
  PlanFixture bench;
  Output output;
  output.trouble = "the guardian is gone";
  bench.plan.safe_outputs = {&output};
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(end.reason, "the guardian is gone");
  EXPECT_EQ(end.frames, 4);
}

TEST(ExecutiveClock, AFaultThatTerminatesEndsTheRigWithSafeOutputs) {
  PlanFixture bench;
  Output output;
  bench.plan.safe_outputs = {&output};
  bench.realtime.enabled = true;
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 2) bench.sleeper.fault = rtsync::WaitStatus::fault_terminate;
  };
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::clock_lost);
  EXPECT_EQ(end.frames, 3);
  EXPECT_TRUE(output.ended());
}

TEST(ExecutiveClock, AFaultInTheWaitAfterTheLastFrameIsNoMatter) {
  for (const rtsync::WaitStatus fault :
       {rtsync::WaitStatus::fault_terminate, rtsync::WaitStatus::fault_freeze}) {
    PlanFixture bench;
    bench.realtime.enabled = true;
    bench.sleeper.on_wait = [&](int wait) {
      if (wait == 9) bench.sleeper.fault = fault;
    };
    const RunEnd end = bench.run(10);
    EXPECT_EQ(end.outcome, Outcome::completed);
    EXPECT_EQ(end.frames, 10);
  }
}

TEST(ExecutiveClock, AFaultThatFreezesDrivesSafeAndTheRigGoesOnWhenItIsResumed) {
  PlanFixture bench;
  Output output;
  bench.plan.safe_outputs = {&output};
  bench.realtime.enabled = true;
  bench.sleeper.on_wait = [&](int wait) {
    if (wait == 2) bench.sleeper.fault = rtsync::WaitStatus::fault_freeze;
    if (wait != 5) return;
    EXPECT_EQ(bench.executive->state(), State::pause);
    EXPECT_TRUE(bench.executive->latest().clock_fault);
    EXPECT_EQ(output.times_safe, 1);
    EXPECT_FALSE(output.ended());
    bench.executive->request_resume();
  };
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_EQ(end.frames, 10);
  EXPECT_GT(output.turns, 10) << "freeze frames are told of too";
}

TEST(Executive, RefusesAPlanThatCannotBeScheduled) {
  PlanFixture bench;
  bench.job("j", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).cycle = Period{};
  EXPECT_THROW(bench.make(), std::invalid_argument);
}

}  // namespace
}  // namespace tactus::executive::executive_test
