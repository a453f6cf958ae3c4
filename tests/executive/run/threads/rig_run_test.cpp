// SPDX-License-Identifier: Apache-2.0
/// Whole runs in the process of the test, as fast as they can: what they say, and what they leave in their folder.
#include "executive/run/rig_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "executive/run/run_setup.hpp"
#include "tests/executive/support/rig_files.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::rig_run_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using config::Json;
using tactus::test::read_file;
using tactus::test::TempDir;
using test::LoadedRig;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kRig =
    "rig: bench\nframe: { period: 1 ms }\nuntil: 20 ms\nthreads: { stuck_after: 30 s }\nmodels:\n"
    "  a: { model: gain, library: ./libmodels.so, parameters: { k: 2 } }\n";
const std::string kRecorded = kRig + "record: { motion: { variables: [a.y] } }\n";

/// Does what the test says when the run has begun, and at each look of the service thread.
class Watcher final : public RunObserver {
 public:
  void started(const RigRun& run) override {
    ++starts;
    if (when_started) when_started(run);
  }
  void tick(RigRun& run, std::chrono::nanoseconds) override {
    if (on_tick) on_tick(run);
    std::this_thread::sleep_for(100us);  // leaves the CPU to the frames, as a wait for a signal does
  }
  void say(const std::string& line) override { said.push_back(line); }

  int starts = 0;
  std::function<void(const RigRun&)> when_started;
  std::function<void(RigRun&)> on_tick;
  std::vector<std::string> said;
};

/// A rig that is run once, without real time.
class RigRunTest : public ::testing::Test {
 protected:
  void load(
      const std::string& text, const std::function<void(RunOptions&)>& choose = [](RunOptions&) {}) {
    rig_.emplace(text);
    RunOptions options;
    options.folder = dir_ / "out";
    fs::create_directories(options.folder);
    options.realtime = false;
    if (rig_->Rig::settings().until) options.frames = *rig_->Rig::settings().until / 1ms;
    choose(options);
    run_.emplace(*rig_, options);
  }
  /// What summary.json says behind it.
  Json run(
      const std::string& text, const std::function<void(RunOptions&)>& choose = [](RunOptions&) {}) {
    load(text, choose);
    run_->run(watcher_);
    return summary();
  }
  Json summary() const { return Json::parse(read_file(dir_ / "out/summary.json")); }
  std::string log() const { return read_file(dir_ / "out/log.txt"); }

  const TempDir dir_;
  std::optional<LoadedRig> rig_;
  Watcher watcher_;
  std::optional<RigRun> run_;
};

TEST_F(RigRunTest, AStepThatComesBeforeThePauseOfTheBeginIsTaken) {
  std::int64_t paused_before = -1;
  watcher_.when_started = [this](const RigRun&) { run_->executive().request_step(3); };
  watcher_.on_tick = [&, ticks = 0](RigRun& run) mutable {
    const bool rests = run.executive().state() == State::pause && run.executive().latest().frames >= 3;
    if (++ticks < 20'000 && !rests) return;
    paused_before = run.executive().latest().frames;
    run.executive().request_stop("seen");
  };
  const Json all = run(kRig, [](RunOptions& options) { options.paused = true; });
  EXPECT_EQ(paused_before, 3);
  EXPECT_EQ(all["cut_short"], true);
}

TEST_F(RigRunTest, ACompletedRunSaysSoInItsSummary) {
  const Json all = run(kRecorded);
  EXPECT_EQ(watcher_.starts, 1);
  EXPECT_EQ(all["rig"], "bench");
  EXPECT_EQ(all["outcome"], "completed");
  EXPECT_EQ(all["reason"], "");
  EXPECT_EQ(all["exit_status"], 0);
  EXPECT_EQ(all["failed_on"], "");
  EXPECT_EQ(all["cut_short"], false);
  EXPECT_EQ(all["frames"]["planned"], 20);
  EXPECT_EQ(all["frames"]["run"], 20);
  EXPECT_EQ(all["frames"]["overruns"], 0) << "without real time nothing is late";
  EXPECT_EQ(all["period_ns"], 1'000'000);
  EXPECT_EQ(all["period"], Json::parse(R"({"num_ns": 1000000, "den": 1})"));
  EXPECT_EQ(all["sim_time_ns"], 20'000'000);
  EXPECT_EQ(all["margin"], 1);
  EXPECT_EQ(all["rt"]["realtime"], false);
  EXPECT_EQ(all["rt"]["cpu"], nullptr);
  EXPECT_EQ(all["rt"]["refused"], Json::array());
  EXPECT_EQ(all["causes"], Json::object());
  EXPECT_EQ(all["policies"], nullptr);
  EXPECT_EQ(all["live"], nullptr);
  EXPECT_EQ(all["link"], nullptr);
  EXPECT_EQ(all["isolated"], Json::array());
  EXPECT_EQ(all["threads"], Json::array());
  EXPECT_EQ(all["from"], Json::parse(R"({"file": "", "frame": 0})"));
  EXPECT_EQ(all["resets"], 0);
  EXPECT_EQ(all["log"]["lines_left_out"], 0);
  EXPECT_EQ(all["recordings"][0]["name"], "motion");
  EXPECT_EQ(all["recordings"][0]["written"], 20);
  EXPECT_EQ(run_->exit_status(), 0);
  EXPECT_EQ(all, run_->summary()) << "the file is what the run says of itself";
}

TEST_F(RigRunTest, TheSummaryHasEachJobOfAFrameWithItsClassItsThreadAndItsTimes) {
  const Json all =
      run("rig: bench\nframe: { period: 1 ms }\nuntil: 20 ms\nrealtime: { enabled: no }\nthreads: { "
          "stuck_after: 30 s, workers: { "
          "plant: {} } }\nmodels:\n  a: { model: gain, library: ./libmodels.so, jobs: { end: { budget: 1 "
          "s } } }\n  b: { model: gain, library: ./libmodels.so, thread: plant }\n");
  std::map<std::string, Json> jobs;
  for (const Json& job : all["jobs"]) jobs[job["name"]] = job;
  ASSERT_TRUE(jobs.contains("a.end"));
  EXPECT_EQ(jobs["a.end"]["class"], "end_of_frame");
  EXPECT_EQ(jobs["a.end"]["thread"], "main");
  EXPECT_EQ(jobs["a.end"]["calls"], 20);
  EXPECT_LE(jobs["a.end"]["time_ns"]["p50"], jobs["a.end"]["time_ns"]["max"]);
  EXPECT_EQ(jobs["a.end"]["budget_ns"], 1'000'000'000);
  EXPECT_EQ(jobs["a.end"]["over_budget"], 0);
  EXPECT_FALSE(jobs.contains("a.initialize")) << "it is called before the frames";
  ASSERT_EQ(all["threads"].size(), 1U);
  EXPECT_EQ(all["threads"][0]["name"], "plant");
  EXPECT_EQ(all["threads"][0]["kind"], "scheduled");
  EXPECT_EQ(all["threads"][0]["trigger"], "futex") << "without real time nobody spins";
}

TEST_F(RigRunTest, WhileItGoesOnTheSummarySaysThatItIsUnfinished) {
  Json then;
  watcher_.when_started = [&](const RigRun&) { then = summary(); };
  (void)run(kRecorded);
  EXPECT_EQ(then["outcome"], "unfinished");
  EXPECT_THAT(then["reason"].get<std::string>(), HasSubstr("the end is not known: the rig still runs"));
  EXPECT_EQ(then["exit_status"], nullptr);
  EXPECT_EQ(then["rig"], "bench");
  EXPECT_EQ(then["frames"]["planned"], 20);
  EXPECT_EQ(then["frames"]["run"], 0);
  EXPECT_EQ(then["recordings"][0], Json::parse(R"({"name": "motion", "ended": false})"));
  EXPECT_FALSE(then.contains("@jobs")) << "that is for the witness";
}

TEST_F(RigRunTest, TheFolderHoldsTheRigAsItWasRun) {
  (void)run(kRecorded);
  for (const char* const file : {"rig.yaml", "log.txt", "summary.json", "motion.csv", "frames.csv"})
    EXPECT_EQ(fs::exists(dir_ / "out" / file), std::string(file) != "frames.csv") << file;
  EXPECT_THAT(read_file(dir_ / "out/rig.yaml"), HasSubstr("rig: bench"));
  EXPECT_THAT(log(), AllOf(HasSubstr("rig bench, not in real time (--no-realtime), frame 1.00 ms"),
                           HasSubstr("thread main ("), HasSubstr("ended after 20 frames\n")));
  EXPECT_THAT(watcher_.said, IsEmpty()) << "all is well";
}

TEST_F(RigRunTest, SomebodyStopsIt) {
  watcher_.on_tick = [](RigRun& run) {
    if (run.executive().latest().frames > 100) run.executive().request_stop("the test stops it");
  };
  const Json all = run(kRig + "record: { motion: { variables: [a.y] } }\n",
                       [](RunOptions& options) { options.frames = INT64_MAX; });
  EXPECT_EQ(all["outcome"], "stopped");
  EXPECT_EQ(all["reason"], "the test stops it");
  EXPECT_EQ(all["exit_status"], 0) << "somebody wanted it so";
  EXPECT_EQ(all["cut_short"], false) << "no end was planned";
  EXPECT_EQ(all["frames"]["planned"], nullptr);
  EXPECT_GT(all["frames"]["run"], 100);
  EXPECT_THAT(log(), HasSubstr(" frames: the test stops it\n"));
}

TEST_F(RigRunTest, SomebodyAbortsIt) {
  watcher_.on_tick = [](RigRun& run) { run.executive().request_abort("the test aborts it"); };
  const Json all = run(kRig, [](RunOptions& options) { options.frames = INT64_MAX; });
  EXPECT_EQ(all["outcome"], "aborted");
  EXPECT_EQ(all["exit_status"], 1);
  EXPECT_FALSE(run_->stuck());
}

TEST_F(RigRunTest, ARigThatStartsPausedRunsNoFrameUntilItIsResumed) {
  std::int64_t frames_in_pause = -1;
  watcher_.on_tick = [&](RigRun& run) {
    if (run.executive().latest().state != State::pause || frames_in_pause >= 0) return;
    frames_in_pause = run.executive().latest().frames;
    run.executive().request_resume();
  };
  const Json all = run(kRig, [](RunOptions& options) { options.paused = true; });
  EXPECT_EQ(frames_in_pause, 0);
  EXPECT_EQ(all["outcome"], "completed");
  EXPECT_EQ(all["frames"]["run"], 20);
}

TEST_F(RigRunTest, AModelDoesNotEndThePauseOfTheBeginBeforeAnyFrame) {
  bool taken = true;
  std::int64_t frames_in_pause = -1;
  watcher_.when_started = [&](const RigRun&) {  // where initialization jobs have run
    taken = run_->executive().model_requests().command(TACTUS_RESUME, 0);
  };
  watcher_.on_tick = [&](RigRun& run) {
    if (run.executive().latest().state != State::pause || frames_in_pause >= 0) return;
    frames_in_pause = run.executive().latest().frames;
    run.executive().request_resume();
  };
  (void)run(kRig, [](RunOptions& options) { options.paused = true; });
  EXPECT_FALSE(taken);
  EXPECT_EQ(frames_in_pause, 0);
}

TEST_F(RigRunTest, CommandsOfTheRigFileThatWereNotReachedAreInTheLog) {
  (void)run(kRig + "commands: [{ at: 10 s, do: stop }]\n");
  EXPECT_THAT(log(), HasSubstr("1 commands of the rig file were not reached"));
}

TEST_F(RigRunTest, TheCheckpointOfTheEndIsOneToGoOnFrom) {
  const Json first = run(kRecorded + "checkpoint: { at_end: yes }\n");
  const std::string file = dir_ / "out/checkpoints/end.tck";
  EXPECT_EQ(first["checkpoints"]["written"], Json::array({file}));
  run_.reset();
  fs::rename(dir_ / "out", dir_ / "first");
  const std::string from = dir_ / "first/checkpoints/end.tck";
  const Json second = run(kRecorded, [&](RunOptions& options) {
    options.from = from;
    options.frames = 50;
  });
  EXPECT_EQ(second["outcome"], "completed");
  EXPECT_EQ(second["frames"]["run"], 30) << "those of this run";
  EXPECT_EQ(second["sim_time_ns"], 50'000'000);
  EXPECT_EQ(second["from"]["file"], from);
  EXPECT_EQ(second["from"]["frame"], 20);
  EXPECT_EQ(second["recordings"][0]["written"], 30);
  EXPECT_THAT(log(), HasSubstr("continues from checkpoint " + from + " at frame 20"));
}

TEST_F(RigRunTest, ACheckpointThatDoesNotFitStartsNothing) {
  load(kRig, [&](RunOptions& options) { options.from = dir_ / "none.tck"; });
  EXPECT_THROW(run_->run(watcher_), config::ConfigError);
  EXPECT_EQ(watcher_.starts, 0);
}

TEST_F(RigRunTest, WhereNothingCanBeWrittenNothingIsStarted) {
  (void)dir_.write("taken", "a file");
  load(kRig, [&](RunOptions& options) { options.folder = dir_ / "taken/out"; });
  try {
    run_->run(watcher_);
    FAIL() << "there is no such folder";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot write into the run folder: "));
  }
  EXPECT_EQ(watcher_.starts, 0);
}

TEST_F(RigRunTest, ARecordingThatCannotBeOpenedEndsItBeforeTheFirstFrame) {
  load(kRecorded);
  fs::create_directories(dir_ / "out/motion.csv");
  run_->run(watcher_);
  const Json all = summary();
  EXPECT_EQ(all["outcome"], "failed");
  EXPECT_THAT(all["reason"].get<std::string>(), HasSubstr("motion"));
  EXPECT_EQ(all["frames"]["run"], 0);
  EXPECT_EQ(all["exit_status"], 1);
  EXPECT_EQ(watcher_.starts, 0);
}

TEST_F(RigRunTest, ASummaryThatCannotBeWrittenMakesItFail) {
  watcher_.when_started = [this](const RigRun&) {
    fs::remove(dir_ / "out/summary.json");
    fs::create_directories(dir_ / "out/summary.json/in-the-way");
  };
  load(kRig);
  run_->run(watcher_);
  EXPECT_EQ(run_->end().outcome, Outcome::completed);
  EXPECT_EQ(run_->exit_status(), 1) << "a script that looks for it must not believe in success";
  EXPECT_THAT(run_->folder_error(), HasSubstr("summary.json"));
}

TEST_F(RigRunTest, AMarginIsToldAndStandsInTheSummary) {
  const Json all = run(kRig, [](RunOptions& options) { options.margin = 1.5; });
  EXPECT_EQ(all["margin"], 1.5);
  EXPECT_THAT(watcher_.said, Contains(HasSubstr("margin 1.5: each job is stretched to 1.5 times its time")));
}

TEST_F(RigRunTest, WhatFailsARunIsWhatTheCallerAskedFor) {
  (void)dir_.write("taken", "a file");
  const std::string refused =
      kRig + "checkpoint: { at_end: yes, folder: '" + (dir_ / "taken/below").string() + "' }\n";
  const Json all = run(refused, [](RunOptions& options) { options.fail_on.refused = true; });
  EXPECT_EQ(all["outcome"], "completed");
  EXPECT_THAT(all["failed_on"].get<std::string>(), HasSubstr("(--fail-on)"));
  EXPECT_EQ(all["exit_status"], 1);
  ASSERT_EQ(all["rt"]["refused"].size(), 1U);
  EXPECT_THAT(all["rt"]["refused"][0]["what"].get<std::string>(), HasSubstr("the folder for checkpoints"));
}

TEST_F(RigRunTest, WithoutRealTimeTwoRunsRecordTheSameBytes) {
  (void)run(kRecorded);
  const std::string first = read_file(dir_ / "out/motion.csv");
  run_.reset();
  fs::remove_all(dir_ / "out");
  (void)run(kRecorded);
  EXPECT_EQ(read_file(dir_ / "out/motion.csv"), first);
}

}  // namespace
}  // namespace tactus::executive::rig_run_test
