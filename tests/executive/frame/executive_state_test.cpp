// SPDX-License-Identifier: Apache-2.0
// Back to a state: reset and loading, with the jobs around them; jobs that choose their times; bad values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "executive/model/job_class.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::executive_state_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Period ms(std::int64_t n) { return {n * 1'000'000, 1}; }

/// Counts its steps from what the initialization set.
class Counting : public Model {
 public:
  void declare(Declare& d) override {
    d.parameter("start", start);
    d.state("count", count);
    d.job<&Counting::initialize>("init", JobClass::initialization);
    d.job<&Counting::step>("step", JobClass::scheduled);
    if (refuses) d.cannot_restart("it keeps a file open");
  }
  void initialize() { count += start; }
  void step() { ++count; }
  static inline bool refuses = false;
  std::int64_t start = 10, count = 0;
};

void at_end_of_frame(PlanFixture& bench, std::int64_t frame, std::function<void(Executive&)> act) {
  bench.job("act", TACTUS_END_OF_FRAME,
            [&bench, frame, done = false, act = std::move(act)](const tactus_call& call) mutable {
              if (call.frame == frame && !std::exchange(done, true)) act(*bench.executive);
              return 0;
            });
}
void reset_after(PlanFixture& bench, std::int64_t frame) {
  at_end_of_frame(bench, frame, [](Executive& e) { e.request_reset(); });
}

TEST(Reset, GoesBackToBeforeTheInitializationAndRunsItAgain) {
  PlanFixture bench;
  std::vector<std::string> trace;
  constexpr tactus_job_class kTold[] = {TACTUS_DEFAULT_DATA, TACTUS_INITIALIZATION, TACTUS_PRELOAD_CHECKPOINT,
                                        TACTUS_RESTART,      TACTUS_CHECKPOINT,     TACTUS_TOP_OF_FRAME,
                                        TACTUS_SHUTDOWN};
  for (const tactus_job_class job_class : kTold)
    bench.job(std::string(name_of(job_class)), job_class, [&, job_class](const tactus_call& call) {
      trace.push_back(std::string(name_of(job_class)) + " " + std::string(name_of(bench.executive->state())) +
                      " " + std::to_string(call.sim_time_ns / 1000) + "/" + std::to_string(call.frame));
      return 0;
    });
  auto& counting = PlanFixture::object<Counting>(bench.model<Counting>("m"));
  std::vector<std::int64_t> counts;
  bench.job("look", TACTUS_DATA_RECORD,
            [&](const tactus_call&) { return counts.push_back(counting.count), 0; });
  reset_after(bench, 1);
  bench.make().restorer().prepare_reset();
  const RunEnd end = bench.run(2);
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_EQ(end.frames, 4) << "of both turns";
  EXPECT_EQ(bench.executive->restart().resets(), 1);
  EXPECT_THAT(counts, ElementsAre(11, 12, 11, 12));
  EXPECT_THAT(trace, ElementsAre("default_data Connect 0/-1", "initialization Start 0/-1",
                                 "top_of_frame StepBegin 0/0", "top_of_frame StepBegin 1000/1",
                                 "preload_checkpoint Reset 0/-1", "restart Reset 0/-1",
                                 "initialization Start 0/-1", "top_of_frame StepBegin 0/0",
                                 "top_of_frame StepBegin 1000/1", "shutdown Disconnect 2000/-1"));
}

TEST(Reset, SwitchesJobsBackOfEveryClass) {
  for (const tactus_job_class job_class : {TACTUS_TOP_OF_FRAME, TACTUS_SCHEDULED, TACTUS_EFFECTOR,
                                           TACTUS_FREEZE_INIT, TACTUS_FREEZE_SCHEDULED, TACTUS_FREEZE}) {
    PlanFixture bench;
    bench.plan.commands = {{0ms, {Command::pause}, 10ms},
                           {1ms, {Command::disable, 0, "m.job"}},
                           {1ms, {Command::reset}},
                           {1ms, {Command::pause}, 10ms}};
    int calls = 0;
    bench.job("m.job", job_class, [&](const tactus_call&) { return ++calls, 0; }).cycle = ms(10);
    bench.make().restorer().prepare_reset();
    EXPECT_EQ(bench.run(2).outcome, Outcome::completed);
    EXPECT_EQ(calls, job_class == TACTUS_TOP_OF_FRAME ? 3 : 2) << name_of(job_class);
  }
}

TEST(Reset, OfAModelThatCannotIsAnAbortThatSaysWhy) {
  Counting::refuses = true;
  PlanFixture bench;
  (void)bench.model<Counting>("m");
  Counting::refuses = false;
  reset_after(bench, 2);
  Executive& executive = bench.make();
  EXPECT_THROW(executive.restorer().prepare_reset(), std::runtime_error);
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(
      end.reason,
      "the rig cannot be reset: model 'm' cannot go back to a state it had before: it keeps a file open");
  EXPECT_EQ(end.frames, 3);
  EXPECT_EQ(executive.state(), State::disconnect);
}

TEST(Reset, WithoutPreparationIsAnAbort) {
  PlanFixture bench;
  reset_after(bench, 2);
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_THAT(end.reason, HasSubstr("the rig cannot be reset"));
}

TEST(Reset, AFailureOfItsJobsEndsTheRigAndNamesTheJob) {
  for (const tactus_job_class job_class :
       {TACTUS_PRELOAD_CHECKPOINT, TACTUS_RESTART, TACTUS_INITIALIZATION}) {
    PlanFixture bench;
    int calls = job_class == TACTUS_INITIALIZATION ? 0 : 1;
    bench.job("bad", job_class, [&](const tactus_call&) { return calls++ == 0 ? 0 : 6; });
    reset_after(bench, 2);
    bench.make().restorer().prepare_reset();
    const RunEnd end = bench.run(10);
    EXPECT_NE(end.outcome, Outcome::completed);
    EXPECT_THAT(end.reason,
                HasSubstr("job 'bad' (" + std::string(name_of(job_class)) + ") failed: it returned 6"));
    EXPECT_EQ(end.frames, 3);
    EXPECT_EQ(bench.executive->state(), State::disconnect);
  }
}

TEST(Load, RunsTheJobsAroundItAndGoesOnFromTheFrame) {
  PlanFixture first;
  (void)first.model<Counting>("m");
  (void)first.make().restorer().image();
  (void)first.run(5);
  const LoadedState state{first.executive->restorer().copy(), 5};

  PlanFixture bench;
  auto& counting = PlanFixture::object<Counting>(bench.model<Counting>("m"));
  std::vector<std::string> trace;
  bench.job("preload", TACTUS_PRELOAD_CHECKPOINT, [&](const tactus_call&) {
    return trace.push_back("preload " + std::to_string(counting.count)), 0;
  });
  bench.job("restart", TACTUS_RESTART, [&](const tactus_call& call) {
    trace.push_back("restart " + std::to_string(counting.count) + " " + std::to_string(call.sim_time_ns));
    return 0;
  });
  bench.job("step", TACTUS_EFFECTOR, [&](const tactus_call& call) {
    trace.push_back(std::to_string(call.frame) + " " + std::to_string(counting.count));
    return 0;
  });
  Executive& executive = bench.make();
  const StateImage& image = executive.restorer().image();
  // The benches are not alike, so the count is all that is taken over.
  const std::size_t count = image.find("m.count");
  std::vector<std::byte> bytes(image.bytes());
  image.copy_to(bytes.data());
  const StateImage& source = first.executive->restorer().image();
  std::copy_n(state.bytes.data() + source.offset(source.find("m.count")), 8,
              bytes.data() + image.offset(count));
  executive.run_initialization();
  executive.restart().load({bytes, 5});
  EXPECT_EQ(executive.run(7).frames, 2);
  EXPECT_THAT(trace, ElementsAre("preload 10", "restart 15 5000000", "5 16", "6 17"));
}

TEST(Load, AFailingRestartJobIsThrown) {
  PlanFixture bench;
  bench.job("bad", TACTUS_RESTART, [](const tactus_call&) { return 3; });
  Executive& executive = bench.make();
  LoadedState state{std::vector<std::byte>(executive.restorer().image().bytes()), 5};
  executive.restorer().image().copy_to(state.bytes.data());
  executive.run_initialization();
  try {
    executive.restart().load(state);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "job 'bad' (restart) failed: it returned 3");
  }
  EXPECT_EQ(executive.state(), State::abort);
}

TEST(Checkpoint, OfTheEndHasToBeAtTheEndOfEveryPeriod) {
  PlanFixture bench;
  bench.plan.threads = {{"slow", ThreadKind::asynchronous_must_finish, ms(4)}};
  bench.job("j", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).thread = 1;
  (void)bench.make().restorer().image();
  (void)bench.run(6);
  EXPECT_THAT(bench.executive->transitions().incomplete(bench.executive->frames_done()),
              testing::HasSubstr("thread 'slow'"));
}

// ---- jobs that choose their times

/// The times (ms) at which job 'm.j' is called when it asks for what `next` says, in ms; < 0: for nothing.
std::vector<std::int64_t> times_of(PlanFixture& bench, const std::function<std::int64_t(std::int64_t)>& next,
                                   std::int64_t frames) {
  std::vector<std::int64_t> times;
  bench.plan.jobs.front().run = [](void* self, const tactus_call* call) {
    return (*static_cast<test::Step*>(self))(*call);
  };
  test::Step work = [&](const tactus_call& call) {
    const std::int64_t now = call.sim_time_ns / 1'000'000;
    times.push_back(now);
    const std::int64_t then = next(now);
    if (then >= 0) {
      EXPECT_EQ(bench.executive->model_requests().call_at("m", "j", then * 1'000'000), then > now)
          << now << " to " << then;
    }
    return 0;
  };
  bench.plan.jobs.front().self = &work;
  EXPECT_EQ(bench.run(frames).outcome, Outcome::completed);
  return times;
}
PlannedJob& dynamic_job(PlanFixture& bench) {
  PlannedJob& job = bench.job("m.j", TACTUS_SCHEDULED, nullptr);
  job.dynamic = true;
  return job;
}

TEST(Dynamic, IsCalledAtItsStartAndThenWhenItSaid) {
  struct Row {
    std::function<std::int64_t(std::int64_t)> next;
    std::vector<std::int64_t> times;
    const char* why;
  };
  const Row rows[] = {
      {[](auto) { return -1; }, {2}, "not again when it asks for nothing"},
      {[](auto now) { return now + 3; }, {2, 5, 8}, "again and again"},
      {[](auto now) { return now == 2 ? 2 : -1; }, {2}, "not for the present"},
      {[](auto now) { return now == 2 ? 1 : -1; }, {2}, "not for the past"},
      {[](auto now) { return now == 2 ? 7 : -1; }, {2, 7}, "once more"},
      {[](auto now) { return now == 2 ? 1000 : -1; }, {2}, "after the end"},
  };
  for (const Row& row : rows) {
    PlanFixture bench;
    dynamic_job(bench).first = ms(2);
    EXPECT_EQ(times_of(bench, row.next, 10), row.times) << row.why;
  }
}

TEST(Dynamic, RespectsItsStopAndSwitches) {
  PlanFixture stops;
  dynamic_job(stops).stop = ms(6);
  EXPECT_THAT(times_of(
                  stops, [](auto now) { return now + 3; }, 10),
              ElementsAre(0, 3, 6));

  PlanFixture off;  // a time that comes up while it is off is gone
  dynamic_job(off);
  at_end_of_frame(off, 1, [](Executive& e) { (void)e.model_requests().enable_job("m.j", false); });
  EXPECT_THAT(times_of(
                  off, [](auto now) { return now + 2; }, 10),
              ElementsAre(0));
}

TEST(Dynamic, MayBeCalledByOthersAndTheLastWordCounts) {
  PlanFixture bench;
  dynamic_job(bench);
  bench.job("m.other", TACTUS_EFFECTOR, [&](const tactus_call& call) {
    Executive& e = *bench.executive;
    const auto later = [&](std::int64_t at) {
      return call.frame != 3 || e.model_requests().call_at("m", "j", at * 1'000'000);
    };
    EXPECT_TRUE(later(8) && later(5));
    EXPECT_FALSE(e.model_requests().call_at("m", "other", 9'000'000)) << "it has a cycle";
    EXPECT_FALSE(e.model_requests().call_at("m", "nobody", 9'000'000));
    return 0;
  });
  EXPECT_THAT(times_of(
                  bench, [](auto) { return -1; }, 10),
              ElementsAre(0, 5));
}

/// Between two instants the present is the boundary: nothing before it may be asked for.
TEST(Dynamic, OfTheEndOfAFrameCannotBeCalledBeforeIt) {
  PlanFixture bench;
  dynamic_job(bench);
  bench.job("end", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    EXPECT_FALSE(call.frame == 2 && bench.executive->model_requests().call_at("m", "j", 2'500'000))
        << "it is 3 ms";
    return 0;
  });
  EXPECT_THAT(times_of(
                  bench, [](auto) { return -1; }, 10),
              ElementsAre(0));
}

// ---- bad values

class Bad : public Model {
 public:
  void declare(Declare& d) override {
    d.output("speed", speed, "m/s");
    d.state("x", x);
    d.state("dx", dx);
    d.integrated("x", "dx");
    d.range("x", -5, 5);
    d.job<&Bad::step>("step", JobClass::scheduled);
    d.job<&Bad::derive>("derive", JobClass::derivative);
  }
  void step(const Call& call) {
    if (call.frame == 3) speed = spoil_speed;
    if (call.frame == 3 && spoil_x) x = 7;
  }
  void derive() { dx = slope; }
  double speed = 0, x = 0, dx = 0, slope = 0, spoil_speed = 0;
  bool spoil_x = false;
};

TEST(Guard, NamesTheJobAndTheVariable) {
  struct Row {
    double speed;
    bool spoil_x;
    bool nan_guard, range_guard;
    const char* said;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Row rows[] = {{kNan, false, true, true, "m.speed is nan"},
                      {std::numeric_limits<double>::infinity(), false, true, true, "m.speed is inf"},
                      {0, true, true, true, "m.x = 7 is outside -5 .. 5"},
                      {kNan, true, false, true, "m.x = 7 is outside -5 .. 5"},
                      {kNan, true, true, false, "m.speed is nan"},
                      {kNan, true, false, false, ""}};
  for (const bool on_worker : {false, true}) {
    for (const Row& row : rows) {
      PlanFixture bench;
      bench.plan.nan_guard = row.nan_guard;
      bench.plan.range_guard = row.range_guard;
      auto& bad = PlanFixture::object<Bad>(bench.model<Bad>("m"));
      bad.spoil_speed = row.speed;
      bad.spoil_x = row.spoil_x;
      if (on_worker) bench.plan.threads = {{"io", ThreadKind::scheduled, {}}};
      if (on_worker) bench.plan.jobs[0].thread = 1;
      const RunEnd end = bench.run(10);
      const std::string who =
          std::string("frame 3: job 'm.step' (scheduled)") + (on_worker ? " on thread 'io'" : "");
      EXPECT_EQ(end.reason, *row.said == '\0' ? "" : who + " left a bad value: " + row.said);
    }
  }
}

/// Spoils its output in a frame, or in the first of two shutdown jobs.
class BadAtTheEnd : public Model {
 public:
  void declare(Declare& d) override {
    d.output("speed", speed, "m/s");
    d.job<&BadAtTheEnd::step>("step", JobClass::scheduled);
    d.job<&BadAtTheEnd::first>("first", JobClass::shutdown);
    d.job<&BadAtTheEnd::second>("second", JobClass::shutdown);
  }
  void step() { speed = spoil_step ? std::numeric_limits<double>::quiet_NaN() : 1; }
  void first() { speed = spoil_first ? std::numeric_limits<double>::quiet_NaN() : speed; }
  void second() {}
  double speed = 0;
  bool spoil_step = false, spoil_first = false;
};

TEST(Guard, NamesTheShutdownJobThatLeavesABadValueAndNoLaterOne) {
  PlanFixture bench;
  PlanFixture::object<BadAtTheEnd>(bench.model<BadAtTheEnd>("m")).spoil_first = true;
  EXPECT_EQ(bench.run(3).outcome, Outcome::completed);
  EXPECT_THAT(bench.shutdown_failures,
              testing::ElementsAre("job 'm.first' (shutdown) left a bad value: m.speed is nan"));
}

TEST(Guard, BlamesNoShutdownJobForWhatWasBadBefore) {
  PlanFixture bench;
  PlanFixture::object<BadAtTheEnd>(bench.model<BadAtTheEnd>("m")).spoil_step = true;
  EXPECT_EQ(bench.run(3).reason, "frame 0: job 'm.step' (scheduled) left a bad value: m.speed is nan");
  EXPECT_THAT(bench.shutdown_failures, testing::IsEmpty());
}

TEST(Guard, FindsWhatAnIntegrationLoopLeaves) {
  PlanFixture bench;
  ModelInstance& model = bench.model<Bad>("m");
  PlanFixture::object<Bad>(model).slope = 1000;
  PlannedLoop& loop = bench.plan.loops.emplace_back();
  loop.name = "body";
  loop.models = {&model};
  loop.cycle = ms(1);
  const RunEnd end = bench.run(20);
  EXPECT_EQ(end.outcome, Outcome::failed);
  EXPECT_THAT(end.reason, HasSubstr("frame 5: job 'integrate.body' (integration) left a bad value: m.x = 6"));
}

TEST(IntegrationLoops, ThatWereEvaluatedBeforeTheFirstFrameLeaveNoJobRunning) {
  PlanFixture bench;
  PlannedLoop& loop = bench.plan.loops.emplace_back();
  loop.name = "body";
  loop.models = {&bench.model<Bad>("m")};
  loop.cycle = ms(1);
  Executive& executive = bench.make();
  executive.run_default_data();
  executive.run_initialization();
  EXPECT_EQ(executive.jobs().running_job(), "");
}

}  // namespace
}  // namespace tactus::executive::executive_state_test
