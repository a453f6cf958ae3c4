// SPDX-License-Identifier: Apache-2.0
// Where asynchronous threads meet the others: what they asked for is heard there, and nowhere else is the
// state complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executive/capability/checkpoint/checkpoint_part.hpp"
#include "executive/frame/worker_pool.hpp"
#include "executive/state/checkpoint_file.hpp"
#include "executive/state/checkpoint_writer.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::meeting_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Period;
using test::PlanFixture;
using ::testing::ElementsAre;

constexpr Period ms(std::int64_t n) { return {n * 1'000'000, 1}; }

/// A thread "slow" with a period of `frames` frames, and a job on it that is called once in each.
PlannedJob& slow_job(PlanFixture& bench, std::int64_t frames, test::Step step) {
  bench.plan.threads.push_back({"slow", ThreadKind::asynchronous_must_finish, ms(frames)});
  PlannedJob& job = bench.job("slow.step", TACTUS_SCHEDULED, std::move(step));
  job.thread = 1;
  job.cycle = ms(frames);
  return job;
}

struct Saved {
  std::string name;
  std::int64_t frame;
};
/// Runs with a writer; what it left, in the order of frames.
std::vector<Saved> checkpoints_of(PlanFixture& bench, std::int64_t every, std::int64_t frames) {
  const tactus::test::TempDir dir;
  CheckpointWriter writer("test", bench.plan.frame, "test");
  Executive& executive = bench.make();
  writer.reserve(executive.restorer().image());
  CheckpointPart part(writer, dir.path().string(), every);
  executive.add(part);
  writer.start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
  (void)bench.run(frames);
  writer.stop();
  std::vector<Saved> saved;
  for (const CheckpointResult& result : writer.poll()) {
    EXPECT_EQ(result.error, "");
    saved.push_back({std::filesystem::path(result.path).filename(), read_checkpoint(result.path).head.frame});
  }
  EXPECT_EQ(part.missed(), 0);
  return saved;
}

TEST(Checkpoints, ThatRunPastTheSlotAreHousekeepingAndNoLateWake) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("save", TACTUS_CHECKPOINT, [&](const tactus_call&) {
    bench.clock.advance(std::chrono::microseconds(5'400));  // frames last 1 ms
    return 0;
  });
  EXPECT_EQ(checkpoints_of(bench, 3, 4).size(), 1U);
  const rtsync::RealtimeTotals totals = bench.executive->totals();
  EXPECT_EQ(totals.late_wakes, 0);
  EXPECT_EQ(totals.late_by_housekeeping, 1);
  EXPECT_EQ(totals.overruns_by_housekeeping, 1) << "4.4 ms late, and nothing of its own";
  EXPECT_EQ(totals.overruns, 1);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 3);
  EXPECT_TRUE(note.timing.late_by_housekeeping);
  EXPECT_EQ(note.timing.housekeeping, std::chrono::microseconds(5'400));
  EXPECT_EQ(bench.rt.overrun, static_cast<std::int32_t>(rtsync::OverrunCause::housekeeping));
  EXPECT_EQ(bench.rt.late_by_housekeeping, 1);
}

TEST(Checkpoints, ThatMakeAFrameLateLeaveANoteThoughItIsDoneInTime) {
  PlanFixture bench;
  bench.realtime.enabled = true;
  bench.job("save", TACTUS_CHECKPOINT, [&](const tactus_call&) {
    bench.clock.advance(std::chrono::microseconds(1'400));  // frames last 1 ms
    return 0;
  });
  EXPECT_EQ(checkpoints_of(bench, 3, 4).size(), 1U);
  FrameNote note;
  ASSERT_TRUE(bench.executive->accounts().pop(note));
  EXPECT_EQ(note.timing.frame, 3);
  EXPECT_TRUE(note.timing.late_by_housekeeping);
  EXPECT_EQ(note.timing.late, std::chrono::microseconds(400));
  EXPECT_EQ(note.timing.overrun, rtsync::OverrunCause::none);
}

TEST(Meeting, ACheckpointWaitsForTheEndOfThePeriodAndIsNamedAfterIt) {
  PlanFixture bench;
  slow_job(bench, 10, [](const tactus_call&) { return 0; });
  TimedCommand command;
  command.at = 13ms;
  command.call.command = Command::checkpoint;
  bench.plan.commands.push_back(command);
  const std::vector<Saved> saved = checkpoints_of(bench, 0, 40);
  ASSERT_EQ(saved.size(), 1U);
  EXPECT_EQ(saved[0].name, "frame-20.tck");
  EXPECT_EQ(saved[0].frame, 19) << "the frame at whose end it was taken";
}

TEST(Meeting, OutsideOfRealTimeEveryPeriodicCheckpointIsTakenWhereItBelongs) {
  PlanFixture bench;
  std::vector<std::string> names;
  for (const Saved& saved : checkpoints_of(bench, 5, 26)) {
    EXPECT_EQ(saved.name, "frame-" + std::to_string(saved.frame + 1) + ".tck");
    names.push_back(saved.name);
  }
  EXPECT_THAT(names,
              ElementsAre("frame-5.tck", "frame-10.tck", "frame-15.tck", "frame-20.tck", "frame-25.tck"));
}

TEST(Checkpoints, OfOneTimeAreTakenInTheirOrderAsFarAsThereIsRoomForThemToWait) {
  constexpr int kRoom = 16;
  PlanFixture bench;
  for (int n = 0; n < kRoom + 2; ++n) {
    TimedCommand& command = bench.plan.commands.emplace_back();
    command.at = 2ms;
    command.call.command = Command::checkpoint;
    command.call.name = std::to_string(n);
  }
  const tactus::test::TempDir dir;
  CheckpointWriter writer("test", bench.plan.frame, "test");
  writer.reserve(bench.make().restorer().image());
  CheckpointPart part(writer, dir.path().string(), 0);
  bench.executive->add(part);
  writer.start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
  (void)bench.run(4);
  writer.stop();
  const std::vector<CheckpointResult> results = writer.poll();
  ASSERT_EQ(results.size(), std::size_t{kRoom});
  for (int n = 0; n < kRoom; ++n) {
    const CheckpointResult& result = results[static_cast<std::size_t>(n)];
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.path, (dir / std::to_string(n)).string());
    EXPECT_EQ(result.frame, 1);
    EXPECT_GT(result.took.count(), 0);
  }
  EXPECT_EQ(part.missed(), 2);
}

TEST(Meeting, AnAsynchronousThreadIsCalledWithTheTimesOfItsRelease) {
  using Calls = std::vector<std::pair<std::int64_t, std::int64_t>>;
  struct Row {
    Period period;
    tactus_job_class job_class;
    Calls frames_and_ms;
    const char* why;
  };
  const Row rows[] = {
      {{}, TACTUS_SCHEDULED, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, "free: frames of the rig"},
      {ms(2), TACTUS_TOP_OF_FRAME, {{0, 0}, {1, 2}}, "its own frames, from where they begin"},
      {ms(2), TACTUS_SCHEDULED, {{0, 0}, {1, 2}}, "likewise"},
      {ms(2), TACTUS_END_OF_FRAME, {{0, 2}, {1, 4}}, "to where they end"},
  };
  for (const Row& row : rows) {
    PlanFixture bench;
    bench.plan.threads.push_back({"beside", ThreadKind::asynchronous, row.period});
    Calls calls;
    PlannedJob& job = bench.job("beside.step", row.job_class, [&](const tactus_call& call) {
      calls.emplace_back(call.frame, call.sim_time_ns / 1'000'000);
      return 0;
    });
    job.thread = 1;
    if (!row.period.is_zero()) job.cycle = row.period;
    (void)bench.run(4);
    EXPECT_EQ(calls, row.frames_and_ms) << row.why;
  }
}

TEST(Meeting, AnOrderOfAnAsynchronousThreadIsHeardAtTheEndOfItsPeriod) {
  PlanFixture bench;
  slow_job(bench, 10, [&](const tactus_call& call) {
    const bool heard = call.frame != 1 || bench.executive->model_requests().command(TACTUS_STOP, 0);
    EXPECT_TRUE(heard);
    return 0;
  });
  EXPECT_EQ(bench.run(100).frames, 21) << "heard at the boundary before frame 20, which still runs";
}

/// Builds a rig whose jobs note their calls.
using Build = std::function<void(PlanFixture&, std::vector<std::int64_t>& calls)>;

/// The calls of a rig, and those of another that continues from its checkpoint before frame 10.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> run_and_continue(const Build& build,
                                                                                 std::int64_t frames) {
  const tactus::test::TempDir dir;
  std::vector<std::int64_t> first, second;
  PlanFixture whole;
  build(whole, first);
  CheckpointWriter writer("test", whole.plan.frame, "test");
  Executive& executive = whole.make();
  writer.reserve(executive.restorer().image());
  CheckpointPart part(writer, dir.path().string(), 10);
  executive.add(part);
  writer.start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
  (void)whole.run(frames);
  writer.stop();

  PlanFixture rest;
  build(rest, second);
  const StateImage& image = rest.make().restorer().image();
  const Checkpoint checkpoint = read_checkpoint(dir / "frame-10.tck");
  rest.executive->run_default_data();
  rest.executive->run_initialization();
  rest.executive->restart().load({image_for(checkpoint, image), checkpoint.head.frame + 1});
  (void)rest.executive->run(frames);
  return {first, second};
}

TEST(Meeting, ASwitchThatWaitsForItIsPartOfTheState) {
  // The slow thread switches main's job off in its first period; continued from its end the job is off, too.
  const auto build = [](PlanFixture& bench, std::vector<std::int64_t>& calls) {
    slow_job(bench, 10, [&bench](const tactus_call& call) {
      const bool known = call.frame != 0 || bench.executive->model_requests().enable_job("main.step", false);
      EXPECT_TRUE(known);
      return 0;
    });
    bench.job("main.step", TACTUS_SCHEDULED, [&calls](const tactus_call& call) {
      calls.push_back(call.frame);
      return 0;
    });
  };
  const auto [first, second] = run_and_continue(build, 15);
  EXPECT_EQ(first.size(), 10U);
  EXPECT_TRUE(second.empty()) << second.size() << " calls of a job that is off";
}

TEST(Meeting, ASwitchThatWaitsForTheThreadOfItsJobIsPartOfTheState) {
  // Main switches the slow thread's job off in the midst of its period; the thread takes that at the next one.
  const auto build = [](PlanFixture& bench, std::vector<std::int64_t>& calls) {
    slow_job(bench, 10, [&calls](const tactus_call& call) {
      calls.push_back(call.frame);
      return 0;
    });
    bench.job("main.step", TACTUS_SCHEDULED, [&bench](const tactus_call& call) {
      const bool known = call.frame != 5 || bench.executive->model_requests().enable_job("slow.step", false);
      EXPECT_TRUE(known);
      return 0;
    });
  };
  const auto [first, second] = run_and_continue(build, 25);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_TRUE(second.empty()) << second.size() << " calls of a job that is off";
}

/// Runs all on the calling thread, and notes whether main counted as at work while it waited.
class Watching final : public WorkerPool {
 public:
  explicit Watching(Executive& executive, std::size_t threads)
      : executive_(executive), lone_(executive.jobs(), threads) {}
  bool run_instant(std::uint64_t threads) TACTUS_RT override {
    busy_at_work.insert(executive_.status().busy());
    return lone_.run_instant(threads);
  }
  void release(std::size_t thread) TACTUS_RT override { waiting_ = thread; }
  bool is_idle(std::size_t) TACTUS_RT override { return waiting_ == 0; }
  bool wait_for(std::size_t thread) TACTUS_RT override {
    busy_while_waiting.insert(executive_.status().busy());
    lone_.release(thread);
    waiting_ = 0;
    return true;
  }
  std::optional<std::size_t> stuck() const TACTUS_RT override { return std::nullopt; }
  std::set<bool> busy_at_work, busy_while_waiting;

 private:
  Executive& executive_;
  InlineWorkerPool lone_;
  std::size_t waiting_ = 0;
};

TEST(Meeting, MainIsNotAtWorkWhileItWaitsForOneThatMustFinish) {
  PlanFixture bench;
  slow_job(bench, 5, [](const tactus_call&) { return 0; });
  bench.plan.threads.push_back({"beside", ThreadKind::scheduled, {}});
  bench.job("beside.step", TACTUS_SCHEDULED, [](const tactus_call&) { return 0; }).thread = 2;
  Watching crew(bench.make(), 3);
  bench.executive->jobs().set_workers(crew);
  (void)bench.run(20);
  EXPECT_THAT(crew.busy_while_waiting, ElementsAre(false));
  EXPECT_THAT(crew.busy_at_work, ElementsAre(true));
}

TEST(Meeting, OfTwoThreadsThatContradictEachOtherTheLaterJobWins) {
  // "on" stands behind "off" in the order of the plan, and runs on the quicker thread.
  for (const std::size_t on_thread : {0U, 1U}) {
    PlanFixture bench;
    bench.plan.threads.push_back({"worker", ThreadKind::scheduled, {}});
    std::int64_t calls = 0;
    bench
        .job("off", TACTUS_SCHEDULED,
             [&](const tactus_call&) {
               return bench.executive->model_requests().enable_job("switched", false) ? 0 : 1;
             })
        .thread = 1 - on_thread;
    bench
        .job("on", TACTUS_EFFECTOR,
             [&](const tactus_call&) {
               return bench.executive->model_requests().enable_job("switched", true) ? 0 : 1;
             })
        .thread = on_thread;
    bench.job("switched", TACTUS_ENVIRONMENT, [&](const tactus_call&) { return ++calls, 0; });
    EXPECT_EQ(bench.run(50).frames, 50);
    EXPECT_EQ(calls, 50) << on_thread;
  }
}

TEST(Meeting, AThreadsPatienceIsRealTime) {
  PlanFixture bench;
  slow_job(bench, 100, [](const tactus_call&) { return 0; });
  bench.plan.stuck_after = 1s;
  bench.plan.ratio = 0.1;
  Executive& executive = bench.make();
  EXPECT_EQ(ThreadWorkerPool(executive.jobs(), executive.plan()).timeout(1), 2s)
      << "100 ms of simulated time take a second";
}

}  // namespace
}  // namespace tactus::executive::meeting_test
