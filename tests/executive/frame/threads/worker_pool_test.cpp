// SPDX-License-Identifier: Apache-2.0
// Failures and stuck threads on every kind of crew: the main thread alone, simulated threads, real threads.
#include "executive/frame/worker_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/random_sketch.hpp"
#include "tests/executive/support/sim_worker_pool.hpp"
#include "tests/executive/support/sketch_world.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::executive::worker_pool_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Period;
using rtsync::WaitMode;
using test::PlanFixture;
using test::SimWorkerPool;
using test::SimWorkerSettings;
using test::WorkerThreads;
using test::World;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class On { main_alone, simulated_threads, real_threads };
constexpr On kAllPools[] = {On::main_alone, On::simulated_threads, On::real_threads};
const int kSeeds = tactus::test::trials(30);

const char* name_of(On on) {
  constexpr const char* kNames[] = {"on main alone", "on simulated threads", "on real threads"};
  return kNames[static_cast<int>(on)];
}

RunEnd run_on(PlanFixture& bench, On on, std::int64_t frames, std::uint64_t seed = 1) {
  bench.plan.stuck_after = 60s;
  Executive& executive = bench.make();
  if (on == On::main_alone) return bench.run(frames);
  if (on == On::simulated_threads) {
    SimWorkerPool crew(executive, bench.clock, {.seed = seed});
    executive.jobs().set_workers(crew);
    return bench.run(frames);
  }
  const WorkerThreads threads(executive);
  return bench.run(frames);
}

int nothing(const tactus_call&) { return 0; }

std::size_t add_thread(PlanFixture& bench, const char* name, WaitMode wait = WaitMode::adaptive) {
  bench.plan.threads.push_back({name, ThreadKind::scheduled, {}, wait});
  return bench.plan.threads.size();
}
std::size_t add_must_finish(PlanFixture& bench, const char* name, std::int64_t frames) {
  bench.plan.threads.push_back({name, ThreadKind::asynchronous_must_finish, Period{1'000'000 * frames, 1}});
  return bench.plan.threads.size();
}

/// Waits for something another thread does, but not for ever.
template <class Condition>
bool wait_until(Condition condition) {
  for (const auto end = std::chrono::steady_clock::now() + 120s; std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(100us);
  }
  return false;
}

// ---- failures

TEST(WorkerFailure, OnAWorkerEndsTheRigAndNamesJobAndThread) {
  for (const On on : kAllPools) {
    SCOPED_TRACE(name_of(on));
    PlanFixture bench;
    bench.job("main.step", TACTUS_SCHEDULED, nothing);
    bench.job("io.read", TACTUS_SENSOR, [](const tactus_call& call) { return call.frame == 3 ? 5 : 0; })
        .thread = add_thread(bench, "io");
    int ends = 0;
    bench.job("end", TACTUS_END_OF_FRAME, [&](const tactus_call&) { return ++ends * 0; });
    const RunEnd end = run_on(bench, on, 10);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.reason, "frame 3: job 'io.read' (sensor) on thread 'io' failed: it returned 5");
    EXPECT_EQ(end.frames, 3);
    EXPECT_EQ(ends, 3);
    EXPECT_EQ(bench.executive->state(), State::disconnect);
  }
}

TEST(WorkerFailure, OfTwoInOneInstantTheFirstInTheOrderOfThePlanIsNamed) {
  struct Row {
    tactus_job_class on_main, on_worker;
    const char* named;
  };
  const Row rows[] = {{TACTUS_SENSOR, TACTUS_EFFECTOR, "job 'main.step' (sensor)"},
                      {TACTUS_EFFECTOR, TACTUS_SENSOR, "job 'io.step' (sensor) on thread 'io'"},
                      {TACTUS_SCHEDULED, TACTUS_SCHEDULED, "job 'main.step' (scheduled)"}};
  for (const Row& row : rows) {
    for (const On on : kAllPools) {
      for (int seed = 1; seed <= kSeeds; ++seed) {
        SCOPED_TRACE(name_of(on));
        PlanFixture bench;
        bench.job("main.step", row.on_main, [](const tactus_call&) { return 1; });
        bench.job("io.step", row.on_worker, [](const tactus_call&) { return 1; }).thread =
            add_thread(bench, "io");
        const RunEnd end = run_on(bench, on, 10, static_cast<std::uint64_t>(seed));
        EXPECT_EQ(end.reason, "frame 0: " + std::string(row.named) + " failed: it returned 1");
      }
    }
  }
}

/// Main fails in its last job. Before that in the order of the plan 'b' fails, which waits for the slow 'a'.
TEST(WorkerFailure, ALaterOneOnMainDoesNotHideAnEarlierOneThatIsNotReachedYet) {
  for (const On on : kAllPools) {
    for (int seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE(name_of(on));
      PlanFixture bench;
      std::atomic<bool> main_failed{false};
      auto& slow = bench.job("a", TACTUS_ENVIRONMENT, [&, on](const tactus_call&) {
        if (on != On::real_threads) return 0;
        EXPECT_TRUE(wait_until([&] { return main_failed.load(); }));
        std::this_thread::sleep_for(1ms);
        return 0;
      });
      slow.thread = add_thread(bench, "quick");
      auto& waits = bench.job("b", TACTUS_SENSOR, [](const tactus_call&) { return 2; });
      waits.thread = add_thread(bench, "patient");
      waits.depends_on = {0};
      bench.job("c", TACTUS_EFFECTOR, [&](const tactus_call&) {
        main_failed.store(true);
        return 3;
      });
      const RunEnd end = run_on(bench, on, 10, static_cast<std::uint64_t>(seed));
      EXPECT_EQ(end.reason, "frame 0: job 'b' (sensor) on thread 'patient' failed: it returned 2");
      if (on == On::real_threads && seed == 3) break;
    }
  }
}

TEST(WorkerFailure, OnAThreadThatMustFinishIsFoundAtTheEndOfItsPeriod) {
  for (const On on : kAllPools) {
    SCOPED_TRACE(name_of(on));
    PlanFixture bench;
    bench.job("slow.step", TACTUS_SCHEDULED, [](const tactus_call& call) { return call.frame == 1 ? 4 : 0; })
        .thread = add_must_finish(bench, "slow", 5);
    std::int64_t frames = 0;
    bench.job("main", TACTUS_SCHEDULED, [&](const tactus_call&) { return ++frames, 0; });
    const RunEnd end = run_on(bench, on, 100);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_EQ(end.reason, "frame 10: job 'slow.step' (scheduled) on thread 'slow' failed: it returned 4");
    EXPECT_EQ(frames, 10);
  }
}

TEST(WorkerFailure, OnAThreadThatMustFinishIsFoundAfterTheLastFrameToo) {
  for (const On on : kAllPools) {
    SCOPED_TRACE(name_of(on));
    PlanFixture bench;
    bench.job("slow.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 4; }).thread =
        add_must_finish(bench, "slow", 50);
    const RunEnd end = run_on(bench, on, 3);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_THAT(end.reason, HasSubstr("job 'slow.step' (scheduled) on thread 'slow' failed: it returned 4"));
  }
}

TEST(WorkerFailure, OnAThreadWithoutAPeriodLeavesItsEndOfFrameJobsOut) {
  for (const On on : kAllPools) {
    SCOPED_TRACE(name_of(on));
    PlanFixture bench;
    bench.plan.threads.push_back({"free", ThreadKind::asynchronous, {}});
    bench.job("free.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 1; }).thread = 1;
    std::atomic<int> ends{0};
    bench.job("free.end", TACTUS_END_OF_FRAME, [&](const tactus_call&) { return ++ends * 0; }).thread = 1;
    EXPECT_EQ(run_on(bench, on, 10).outcome, Outcome::failed);
    EXPECT_EQ(ends, 0);
  }
}

/// A loop on each of two threads, both due at once: 'early' comes first and fails in its last job.
TEST(WorkerFailure, OfTwoLoopsTheFirstIsNamedWhereverItFails) {
  for (const On on : kAllPools) {
    SCOPED_TRACE(name_of(on));
    PlanFixture bench;
    static constexpr tactus_model kModel{TACTUS_ABI_VERSION,
                                         sizeof(tactus_model),
                                         "none",
                                         "",
                                         nullptr,
                                         [](const tactus_host*, void*) { return 0; },
                                         nullptr};
    int self = 0;
    ModelInstance early(kModel, "early", &self), late(kModel, "late", &self);
    bench.job("early.post", TACTUS_POST_INTEGRATION, [](const tactus_call&) { return 1; }).model = &early;
    bench.job("late.pre", TACTUS_PRE_INTEGRATION, [](const tactus_call&) { return 1; }).model = &late;
    for (ModelInstance* const model : {&early, &late}) {
      PlannedLoop& loop = bench.plan.loops.emplace_back();
      loop.name = model->name();
      loop.models = {model};
      loop.cycle = bench.plan.frame;
      loop.thread = add_thread(bench, model->name().c_str());
    }
    const RunEnd end = run_on(bench, on, 10);
    EXPECT_EQ(end.outcome, Outcome::failed);
    EXPECT_THAT(end.reason, HasSubstr("job 'early.post' (post_integration)"));
  }
}

/// Whether its thread has already done the work of its period when somebody switches it must not matter.
TEST(WorkerPool, AJobBesideTheFramesIsSwitchedAtTheSameTimeOnEveryPool) {
  std::vector<std::int64_t> on_main;
  for (const On on : kAllPools) {
    for (int seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE(name_of(on));
      PlanFixture bench;
      std::vector<std::int64_t> calls;
      PlannedJob& slow = bench.job("slow.step", TACTUS_SCHEDULED, [&](const tactus_call& call) {
        if (on == On::real_threads) std::this_thread::sleep_for(200us);
        return calls.push_back(call.sim_time_ns / 1'000'000), 0;
      });
      slow.thread = add_must_finish(bench, "slow", 5);
      bench.job("main", TACTUS_SCHEDULED, [&](const tactus_call& call) {
        if (call.frame == 6 || call.frame == 12)
          (void)bench.executive->model_requests().enable_job("slow.step", call.frame == 12);
        return 0;
      });
      (void)run_on(bench, on, 20, static_cast<std::uint64_t>(seed));
      if (on == On::main_alone) on_main = calls;
      EXPECT_EQ(calls, on_main);
      if (HasFailure()) break;
    }
  }
  EXPECT_THAT(on_main, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18, 19))
      << "off and on at the first meeting after the switch";
}

// ---- a thread that does not come back

/// A job that waits until the test is over.
class Latch {
 public:
  test::Step step(std::int64_t at_frame) {
    return [this, at_frame](const tactus_call& call) {
      if (call.frame == at_frame) open_.wait(false);
      return 0;
    };
  }
  void open() {
    open_.store(true);
    open_.notify_all();
  }

 private:
  std::atomic<bool> open_{false};
};

/// Runs on real threads; the latch opens when the rig has ended.
RunEnd run_stuck(PlanFixture& bench, Latch& latch) {
  bench.plan.stuck_after = 3s;  // the threads that are not stuck are on a machine that is away now and then
  Executive& executive = bench.make();
  const WorkerThreads threads(executive);
  const RunEnd end = bench.run(10);
  EXPECT_TRUE(executive.jobs().stuck());
  latch.open();
  return end;
}

class WorkerStuck : public ::testing::TestWithParam<WaitMode> {};

TEST_P(WorkerStuck, AWorkerIsNamedAndTheRigAborts) {
  PlanFixture bench;
  Latch latch;
  bench.job("io.read", TACTUS_SCHEDULED, latch.step(2)).thread = add_thread(bench, "io", GetParam());
  int ends = 0;
  bench.job("end", TACTUS_END_OF_FRAME, [&](const tactus_call&) { return ++ends * 0; });
  const RunEnd end = run_stuck(bench, latch);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_THAT(
      end.reason,
      HasSubstr("frame 2: thread 'io' is stuck in job 'io.read': it did not come back within 3.00 s"));
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(bench.executive->state(), State::disconnect);
}

TEST_P(WorkerStuck, AWorkerThatMainWaitsForIsNamed) {
  PlanFixture bench;
  Latch latch;
  bench.job("io.read", TACTUS_SENSOR, latch.step(1)).thread = add_thread(bench, "io", GetParam());
  bench.job("main.step", TACTUS_SCHEDULED, nothing).depends_on = {0};
  EXPECT_THAT(run_stuck(bench, latch).reason, HasSubstr("frame 1: thread 'io' is stuck in job 'io.read'"));
}

TEST_P(WorkerStuck, TheWorkerThatIsStuckIsNamedAndNotOneThatWaitsForIt) {
  PlanFixture bench;
  Latch latch;
  const std::size_t innocent = add_thread(bench, "innocent", GetParam());
  bench.job("io.read", TACTUS_SENSOR, latch.step(1)).thread = add_thread(bench, "io", GetParam());
  PlannedJob& waits = bench.job("plant.step", TACTUS_SCHEDULED, nothing);
  waits.thread = innocent;
  waits.depends_on = {0};
  EXPECT_THAT(run_stuck(bench, latch).reason, HasSubstr("frame 1: thread 'io' is stuck in job 'io.read'"));
}

TEST(WorkerThatDoesNotBegin, IsNamedAndNotOneThatWaitsForIt) {
  PlanFixture bench;
  const std::size_t innocent = add_thread(bench, "innocent");
  bench.job("io.read", TACTUS_SENSOR, nothing).thread = add_thread(bench, "io");
  PlannedJob& waits = bench.job("plant.step", TACTUS_SCHEDULED, nothing);
  waits.thread = innocent;
  waits.depends_on = {0};
  bench.job("main.step", TACTUS_SCHEDULED, nothing).depends_on = {0};
  bench.plan.stuck_after = 500ms;
  Executive& executive = bench.make();
  ThreadWorkerPool workers(executive.jobs(), executive.plan());
  executive.jobs().set_workers(workers);
  std::thread serves_innocent([&] {  // and nobody serves 'io'
    executive.jobs().enter_thread(innocent);
    workers.serve(innocent);
  });
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(bench.run(10).reason, HasSubstr("frame 0: thread 'io' is stuck"));
  EXPECT_GE(std::chrono::steady_clock::now() - began, 500ms);
  workers.dismiss();
  serves_innocent.join();
}

TEST_P(WorkerStuck, AThreadThatMustFinishIsNamedAtTheEndOfItsPeriod) {
  PlanFixture bench;
  Latch latch;
  const std::size_t thread = add_must_finish(bench, "slow", 4);
  bench.plan.threads[thread - 1].wait = GetParam();
  bench.job("slow.step", TACTUS_SCHEDULED, latch.step(1)).thread = thread;
  std::int64_t frames = 0;
  bench.job("main", TACTUS_SCHEDULED, [&](const tactus_call&) { return ++frames, 0; });
  const RunEnd end = run_stuck(bench, latch);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_THAT(end.reason, HasSubstr("frame 8: thread 'slow' is stuck in job 'slow.step'"));
  EXPECT_EQ(frames, 8);
}

INSTANTIATE_TEST_SUITE_P(Waits, WorkerStuck,
                         ::testing::Values(WaitMode::futex, WaitMode::adaptive, WaitMode::spin),
                         [](const auto& wait) { return std::string(rtsync::name_of(wait.param)); });

TEST(WorkerPool, HasRoomForSixtyOneWorkers) {
  PlanFixture bench;
  for (int n = 1; n <= 61; ++n) add_thread(bench, "worker");
  EXPECT_NO_THROW(bench.make());
  add_thread(bench, "one more");
  EXPECT_THROW(bench.make(), std::invalid_argument);
}

TEST(WorkerPool, AnAsynchronousThreadThatIsBusyIsSkippedAndCounted) {
  PlanFixture bench;
  std::atomic<bool> go{false};
  std::int64_t calls = 0;
  bench.plan.threads.push_back({"quiet", ThreadKind::asynchronous, {}});
  bench
      .job("quiet.step", TACTUS_SCHEDULED,
           [&](const tactus_call&) {
             const bool first = ++calls == 1;
             EXPECT_TRUE(!first || wait_until([&] { return go.load(); }));
             return 0;
           })
      .thread = 1;
  bench.job("main", TACTUS_SCHEDULED, [&](const tactus_call& call) {
    if (call.frame == 7) go.store(true);
    return 0;
  });
  const RunEnd end = run_on(bench, On::real_threads, 10);
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_GE(bench.executive->transitions().skipped(1), 7);
  EXPECT_EQ(calls + bench.executive->transitions().skipped(1), 10);
}

TEST(WorkerPool, IsDismissedWhileItsThreadsWaitForWork) {
  PlanFixture bench;
  for (const WaitMode wait : {WaitMode::futex, WaitMode::adaptive})
    bench.job("j", TACTUS_SCHEDULED, nothing).thread = add_thread(bench, "t", wait);
  const WorkerThreads never_ran(bench.make());
}

// ---- the simulation itself

test::Sketch busy_sketch() {
  for (std::uint64_t seed = 1;; ++seed) {
    test::Sketch sketch =
        test::random_sketch(seed, {.background = false, .commands = false, .most_threads = 4});
    if (sketch.threads.size() == 4 && sketch.jobs.size() > 15) return sketch;
  }
}

TEST(SimWorkerPoolTest, TheSameSeedGivesTheSameBytes) {
  const test::Sketch sketch = busy_sketch();
  World a(sketch), b(sketch), other(sketch);
  (void)a.run_on_sim_workers(20, {.seed = 5});
  (void)b.run_on_sim_workers(20, {.seed = 5});
  (void)other.run_on_sim_workers(20, {.seed = 6});
  EXPECT_GT(a.steps.size(), 100U);
  EXPECT_TRUE(a.steps == b.steps);
  EXPECT_FALSE(a.steps == other.steps);
  EXPECT_TRUE(a.traces == other.traces) << "who is quicker must not matter";
}

TEST(SimWorkerPoolTest, FindsOutThatADependencyIsMissing) {
  int plans = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const test::Sketch sketch = test::random_sketch(seed, {.background = false, .commands = false});
    World right(sketch), wrong(sketch);
    bool any = false;
    for (PlannedJob& job : wrong.plan().jobs) {
      any = any || !job.depends_on.empty();
      job.depends_on.clear();
    }
    if (!any) continue;
    ++plans;
    (void)right.run_on_sim_workers(sketch.frames, {.seed = seed});
    (void)wrong.run_on_sim_workers(sketch.frames, {.seed = seed});
    if (right.traces != wrong.traces) ++found;
  }
  EXPECT_GT(plans, 10);
  EXPECT_GT(found, plans / 2);
}

TEST(SimWorkerPoolTest, WhatKeptAThreadThatMainWaitedForInVainIsAsked) {
  const test::Sketch sketch = busy_sketch();
  World world(sketch);
  std::vector<std::size_t> asked;
  world.executive().stuck_mark().ask([&](std::size_t thread) {
    asked.push_back(thread);
    return rtsync::StuckBy::no_cpu;
  });
  const RunEnd end = world.run_on_sim_workers(20, {.seed = 1, .stuck = SimWorkerSettings::Stuck{1, 2}});
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_THAT(end.reason, HasSubstr("thread 't1' had no CPU for "));
  EXPECT_THAT(asked, ElementsAre(1U));
}

TEST(SimWorkerPoolTest, AThreadThatIsStuckIsNamedWhereverItIs) {
  const test::Sketch sketch = busy_sketch();
  int stuck = 0;
  for (std::size_t thread = 1; thread <= sketch.threads.size(); ++thread) {
    for (std::int64_t after = 0; after < 40; after += 3) {
      World world(sketch);
      const RunEnd end =
          world.run_on_sim_workers(20, {.seed = 1, .stuck = SimWorkerSettings::Stuck{thread, after}});
      if (end.outcome == Outcome::completed) continue;  // it had not so many jobs
      ++stuck;
      EXPECT_EQ(end.outcome, Outcome::aborted);
      EXPECT_THAT(end.reason, HasSubstr("thread 't" + std::to_string(thread) + "' is stuck"));
      EXPECT_EQ(world.executive().state(), State::disconnect);
    }
  }
  EXPECT_GT(stuck, 10);
}

}  // namespace
}  // namespace tactus::executive::worker_pool_test
