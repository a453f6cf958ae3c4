// SPDX-License-Identifier: Apache-2.0
/// How a run ends: by its policy, by a job, by a person, by force. Each end has its exit status and its
/// reason, and leaves files that can be read.
#include <sys/resource.h>

#include <csignal>
#include <random>
#include <regex>
#include <thread>

#include "rig_command.hpp"

namespace tactus::test::end_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void expect_end(const Finished& done, const fs::path& folder, int status, const std::string& outcome,
                const std::string& reason) {
  EXPECT_EQ(done.status, status) << done;
  Json summary = summary_of(folder);
  EXPECT_EQ(summary["exit_status"], status);
  EXPECT_EQ(summary["outcome"], outcome);
  EXPECT_NE(summary["reason"].get<std::string>().find(reason), std::string::npos) << summary["reason"];
  EXPECT_NE((done.out + done.err).find(reason), std::string::npos) << done;  // a person reads it too
}

TEST(EndNightly, ASingleOverrunThatIsTooLongTerminates) {
  const TempDir dir;
  const Finished done =
      run(run_rig("overrun", {"--set", "realtime.max_overrun=2 ms", "--out", "out"}, dir.path()));
  expect_end(done, dir / "out", 1, "overrun", "max_overrun");
  Json frames = summary_of(dir / "out")["frames"];
  EXPECT_LE(frames["run"], 201);  // frame 200 is late on purpose
  EXPECT_EQ(read_table(dir / "out/load.csv").rows.size(), frames["run"]);
}

TEST(EndNightly, TooManyOverrunsInARowTerminate) {
  const TempDir dir;
  const Finished done = run(run_rig("overrun",
                                    {"--set", "realtime.max_consecutive_overruns=10 frames", "--set",
                                     "models.load.parameters.every=1", "--out", "out"},
                                    dir.path()));
  expect_end(done, dir / "out", 1, "overrun", "max_consecutive_overruns");
  EXPECT_LE(summary_of(dir / "out")["frames"]["run"], 210);
  // Fewer when a busy machine made a frame before them late, and the leak has not paid that back.
  EXPECT_LE(summary_of(dir / "out")["frames"]["max_consecutive_overruns"], 10);
}

TEST(EndNightly, AnOverrunFailsARunThatIsToldSo) {
  const TempDir dir;
  // Frame 200 is late on purpose, and by itself that is no reason to end.
  const Finished done =
      run(run_rig("overrun",
                  {"--set", "realtime.max_overrun=60 s", "--set", "realtime.max_consecutive_overruns=1000000",
                   "--fail-on", "overrun,refused", "--set", "threads.stuck_after=60 s", "--frames", "300",
                   "--quiet", "--out", "out"},
                  dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir.path() / "out");
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_EQ(summary["exit_status"], 1);
  const std::string overruns = std::to_string(summary["frames"]["overruns"].get<int>()) + " overrun";
  EXPECT_TRUE(summary["failed_on"].get<std::string>().starts_with(overruns)) << summary["failed_on"];
  EXPECT_NE(done.err.find("; fails: " + overruns), std::string::npos) << done;
  const Finished wrong = run(run_rig("overrun", {"--fail-on", "overruns"}, dir.path()));
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("'overruns' is neither one of 'overrun'"), std::string::npos) << wrong;
}

TEST(EndNightly, WithoutRealTimeThereIsNoOverrun) {
  const TempDir dir;
  const Finished done = run(
      run_rig("overrun",
              {"--no-realtime", "--fail-on", "overrun", "--set", "realtime.max_overrun=2 ms", "--out", "out"},
              dir.path()));
  expect_end(done, dir / "out", 0, "completed", "");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["overruns"], 0);
}

TEST(EndNightly, WhatAModelSaysIsShownAsOneLineOfText) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: mumbler\nframe: { period: 1 ms }\nrealtime: { enabled: no }\n"
            "models: { m: { model: mumbles, library: " TACTUS_HANG_LIBRARY " } }\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--frames", "10", "--out", "out"}, dir.path()));
  const std::string shown = "ung\\xfcltig\\n\\x1b[31m2026-01-01 00:00:00.000 info    all is well";
  expect_end(done, dir / "out", 1, "failed", "job 'm.step' (scheduled) failed: " + shown);
  EXPECT_TRUE(wait_for_text(dir / "out/log.txt", shown));
}

TEST(EndNightly, ASummaryThatDoesNotFitOnTheDiskLeavesTheOneOfTheStart) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--no-realtime", "--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/motion.csv", "\n"));
  const rlimit none{0, 0};  // as a full disk: the file can be made, and holds nothing
  for (const pid_t each : {rig.pid(), rig.started_pid()})
    ASSERT_EQ(::prlimit(each, RLIMIT_FSIZE, &none, nullptr), 0);
  rig.signal(SIGINT);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.err.find("summary.json: File too large"), std::string::npos) << done;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir / "out"))
    if (entry.path().filename().string().find("summary") != std::string::npos)
      EXPECT_EQ(entry.path().filename(), "summary.json") << "nothing that is half written";
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "unfinished");
}

TEST(EndNightly, WithoutATerminalOverrunsAndAFreezeAreOnStderr) {
  const TempDir dir;
  // Longer than a machine stands still: the first overrun that freezes the rig is the job's. On a busy one its records
  // may be gone by then, and its cause is unknown.
  Process rig(run_rig("overrun",
                      {"--set", "models.load.parameters.busy=4 s", "--set", "realtime.max_overrun=3 s",
                       "--set", "realtime.at_maximum=freeze", "--out", "out"},
                      dir.path()));
  EXPECT_TRUE(rig.wait_for_output("it ends when it is resumed")) << rig.err();
  rig.signal(SIGUSR2);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.err.find("tactus: warning: paused after"), std::string::npos) << done;
  EXPECT_TRUE(
      std::regex_search(done.err, std::regex("tactus: warning: [a-z .:]+; frame \\d+ overran by \\d")))
      << done;
}

/// A rig that froze at a maximum, on a terminal.
struct Frozen {
  TempDir dir;
  Process rig;

  Frozen() : rig(command(dir)) {}
  static Command command(const TempDir& dir) {
    Command command =
        run_rig("overrun",
                {"--set", "realtime.max_overrun=2 ms", "--set", "realtime.at_maximum=freeze", "--out", "out"},
                dir.path());
    command.terminal = true;
    return command;
  }
};

TEST(EndNightly, AFreezeAtTheMaximumEndsWhenItIsResumed) {
  Frozen frozen;
  ASSERT_TRUE(frozen.rig.wait_for_output("it ends when it is resumed")) << frozen.rig.out();
  ASSERT_TRUE(frozen.rig.wait_for_output("PAUSED")) << frozen.rig.out();
  frozen.rig.signal(SIGUSR2);
  expect_end(frozen.rig.wait(), frozen.dir / "out", 1, "overrun", "max_overrun");
}

TEST(EndNightly, AFreezeAtTheMaximumEndsWithCtrlC) {
  Frozen frozen;
  ASSERT_TRUE(frozen.rig.wait_for_output("it ends when it is resumed")) << frozen.rig.out();
  frozen.rig.type("\x03");
  expect_end(frozen.rig.wait(), frozen.dir / "out", 1, "overrun", "max_overrun");
}

/// overrun.yaml with another model in the place of its late one.
Arguments misbehaving(const std::string& parameters) {
  return {"--set", "models.load.model=misbehave",      "--set", "models.load.parameters=" + parameters,
          "--set", "record.load.variables=[load.done]"};
}

TEST(End, AJobThatFailsIsNamedWithWhatItSaid) {
  const TempDir dir;
  const Finished done = run(run_rig(
      "overrun", misbehaving("{ what: fail, at_frame: 20 }") + Arguments{"--out", "out"}, dir.path()));
  expect_end(done, dir / "out", 1, "failed", "'load.step' (scheduled) failed: failed on purpose");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 20);  // the frame that failed was not completed
  EXPECT_EQ(read_table(dir / "out/load.csv").rows.size(), 20U);
}

TEST(EndNightly, AJobThatThrowsIsNamedWithWhatItThrew) {
  for (const bool realtime : {true, false}) {
    const TempDir dir;
    Arguments arguments = misbehaving("{ what: throw, at_frame: 20 }") + Arguments{"--out", "out"};
    if (!realtime) arguments.push_back("--no-realtime");
    const Finished done = run(run_rig("overrun", arguments, dir.path()));
    expect_end(done, dir / "out", 1, "failed",
               "frame 20: job 'load.step' (scheduled) failed: thrown on purpose");
  }
}

TEST(End, AnInitializationThatFailsEndsBeforeTheFirstFrame) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: r\nframe: { period: 1 ms }\nuntil: 5 ms\nrealtime: { enabled: no }\nmodels:\n"
            "  load: { model: fault, library: test_load,\n"
            "          parameters: { in: initialization, how: fail, at_call: 0 } }\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--out", "out"}, dir.path()));
  expect_end(done, dir / "out", 1, "failed", "(initialization) failed: failed on purpose");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 0);
}

// --- signals

class StopSignal : public ::testing::TestWithParam<int> {};

TEST_P(StopSignal, StopsCleanlyWithStatus0) {
  const TempDir dir;
  Command command = run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  std::this_thread::sleep_for(300ms);
  GetParam() == SIGINT ? rig.type("\x03") : rig.signal(GetParam());
  const Finished done = rig.wait();
  expect_end(done, dir / "out", 0, "stopped", "stopped by SIG");
  Json summary = summary_of(dir / "out");
  EXPECT_TRUE(summary["frames"]["planned"].is_null());  // nobody planned an end
  EXPECT_GT(summary["frames"]["run"], 0);
  const Table motion = read_table(dir / "out/motion.csv");
  EXPECT_EQ(motion.rows.size(), summary["frames"]["run"]);
  EXPECT_EQ(motion.torn, "");
}
INSTANTIATE_TEST_SUITE_P(All, StopSignal, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& one) { return std::string(sigabbrev_np(one.param)); });

TEST(EndNightly, CtrlCStopsARigThatDoesNotRunInRealTime) {
  const TempDir dir;
  Command command = run_rig("servo", {"--set", "until=stopped", "--no-realtime", "--out", "out"}, dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.out();
  std::this_thread::sleep_for(100ms);
  rig.type("\x03");
  expect_end(rig.wait(), dir / "out", 0, "stopped", "SIGINT");
}

TEST(EndNightly, CtrlCIsHeardInAFrameOfTenSeconds) {
  const TempDir dir;
  const std::string file = dir.write(
      "slow.yaml", "rig: slow\nframe: { period: 10 s }\nrealtime: { enabled: yes, sleeper: nanosleep }\n");
  // At a tenth of real time, so that its end is far away.
  Command command =
      tactus(Arguments{"run", file, "--set", "realtime.ratio=0.1x", "--out", "out"} + patient(), dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("frame 1  t")) << rig.out();
  rig.type("\x03");
  const Finished done = rig.wait();
  EXPECT_FALSE(done.timed_out);
  expect_end(done, dir / "out", 0, "stopped", "SIGINT");
}

std::string hanging(const TempDir& dir, const std::string& where, const std::string& spin,
                    bool realtime = true) {
  return dir.write(
      "hang.yaml",
      "rig: hang\nframe: { period: 1 ms }\nuntil: 1 h\nrealtime: { enabled: " +
          std::string(realtime ? "yes" : "no") +
          " }\nmodels:\n  h: { model: hang, library: " TACTUS_HANG_LIBRARY ", parameters: { where: " + where +
          ", spin: " + spin + ", at_frame: 50 } }\nrecord:\n  h: { variables: [h.frames] }\n");
}

TEST(EndNightly, ASecondCtrlCEndsARigWhoseJobNeverReturns) {
  for (const char* spin : {"no", "yes"}) {
    const TempDir dir;
    Command command =
        tactus(Arguments{"run", hanging(dir, "frame", spin), "--out", "out"} + patient(), dir.path());
    command.terminal = true;
    Process rig(command);
    ASSERT_TRUE(rig.wait_for_output("frame 50  t")) << rig.out();  // it stands in the 51st
    rig.type("\x03");
    std::this_thread::sleep_for(500ms);
    EXPECT_EQ(::kill(rig.pid(), 0), 0);  // the first asks it to stop, and the job does not
    EXPECT_TRUE(wait_until_heard(rig, SIGINT));
    rig.type("\x03");
    const Finished done = rig.wait();
    EXPECT_FALSE(done.timed_out) << done;
    expect_end(done, dir / "out", 1, "aborted", "did not return");
    const Table table = read_table(dir / "out/h.csv");
    EXPECT_EQ(table.rows.size(), 50U);
    EXPECT_EQ(table.torn, "");
    EXPECT_FALSE(fs::exists(dir / "shut-down"));  // nothing of a model is called beside a job that still runs
  }
}

bool wait_until_there(const fs::path& file) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!fs::exists(file) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
  return fs::exists(file);
}

TEST(End, AFrameThatNeverEndsIsAnOverrunOfAtLeastTheTimeThatWasWaited) {
  const TempDir dir;
  const auto begun = std::chrono::steady_clock::now();
  const Finished done = run(
      tactus({"run", hanging(dir, "frame", "no"), "--out", "out", "--set", "threads.stuck_after=1 s", "--set",
              "threads.main.policy=other", "--set", "memory.lock=no", "--set", "memory.heap=0 B", "--set",
              "realtime.max_overrun=9e9 s", "--set", "realtime.max_consecutive_overruns=100000000 frames"},
             dir.path()));
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  expect_end(done, dir / "out", 1, "aborted", "is stuck in job 'h.step'");
  const Json frames = summary_of(dir / "out")["frames"];
  EXPECT_EQ(frames["run"], 50);
  EXPECT_GE(frames["overruns"], 1);
  EXPECT_GE(frames["longest_overrun_ns"], 1'000'000'000);
  EXPECT_LT(frames["longest_overrun_ns"], took.count());
}

TEST(End, AFrameThatNeverEndsHasTheCauseThatItsJobShows) {
  for (const auto& [spins, cause] : {std::pair("no", "blocked"), std::pair("yes", "computed")}) {
    SCOPED_TRACE(cause);
    const TempDir dir;
    const Finished done = run(tactus(
        {"run", hanging(dir, "frame", spins), "--out", "out", "--set", "threads.stuck_after=1 s", "--set",
         "threads.main.policy=other", "--set", "memory.lock=no", "--set", "memory.heap=0 B", "--set",
         "realtime.max_overrun=9e9 s", "--set", "realtime.max_consecutive_overruns=100000000 frames"},
        dir.path()));
    expect_end(done, dir / "out", 1, "aborted", "is stuck in job 'h.step'");
    const Json summary = summary_of(dir / "out");
    ASSERT_TRUE(summary["causes"].contains(cause)) << summary["causes"].dump(2) << done;
    EXPECT_GE(summary["causes"][cause]["worst_ns"], 1'000'000'000);
    EXPECT_GE(summary["causes"][cause]["jobs"]["h.step"], 1);
    std::int64_t overruns = 0;
    for (const auto& [word, sum] : summary["causes"].items()) overruns += sum["overruns"].get<std::int64_t>();
    EXPECT_EQ(overruns, summary["frames"]["overruns"].get<std::int64_t>() +
                            summary["frames"]["grace_overruns"].get<std::int64_t>());
    EXPECT_NE(done.err.find(std::string(cause) + ": h.step"), std::string::npos) << done;
    EXPECT_NE(done.err.find("when the rig stopped waiting for it; details in log.txt"), std::string::npos)
        << done;
    const Json last = summary["traces"].back();
    EXPECT_EQ(last["why"].get<std::string>().find("aborted: "), 0U) << last;
    const std::string file = last["file"];
    EXPECT_NE(read_file(dir / "out" / (file.substr(0, file.find('.')) + ".txt"))
                  .find("frame 50 was under way when the rig ended\njob h.step of thread main had begun"),
              std::string::npos);
  }
}

TEST(End, AFrameThatIsBrokenOffByASecondSignalIsNoLongerThanItWas) {
  const TempDir dir;
  const auto begun = std::chrono::steady_clock::now();
  Process rig(tactus(
      {"run", hanging(dir, "frame", "no"), "--out", "out", "--set", "threads.stuck_after=1000 s", "--set",
       "threads.main.policy=other", "--set", "memory.lock=no", "--set", "memory.heap=0 B", "--set",
       "realtime.max_overrun=9e9 s", "--set", "realtime.max_consecutive_overruns=100000000 frames"},
      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "thread main"));
  while (!fs::exists(dir / "hangs")) std::this_thread::sleep_for(1ms);
  rig.signal(SIGINT);
  ASSERT_TRUE(wait_until_heard(rig, SIGINT));
  rig.signal(SIGTERM);  // the same one again, at once, is not a second
  const Finished done = rig.wait();
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  expect_end(done, dir / "out", 1, "aborted", "did not return");
  const Json frames = summary_of(dir / "out")["frames"];
  EXPECT_GE(frames["overruns"], 1);
  EXPECT_GT(frames["longest_overrun_ns"], 500'000'000);
  EXPECT_LT(frames["longest_overrun_ns"], took.count());
}

TEST(EndNightly, CtrlCIsHeardWhileAnInitializationOrAShutdownHangs) {
  for (const char* where : {"initialization", "shutdown"}) {
    const TempDir dir;
    Command command =
        tactus(Arguments{"run", hanging(dir, where, "no"), "--out", "out"} + patient(), dir.path());
    command.terminal = true;
    Process rig(command);
    const bool first = std::string(where) == "initialization";
    const auto hangs = [&] { return wait_until_there(dir / "hangs"); };
    ASSERT_TRUE(first ? hangs() : rig.wait_for_output(kStatusOfFrames)) << rig.out();
    rig.type("\x03");
    ASSERT_TRUE(hangs()) << rig.out();
    std::this_thread::sleep_for(1s);
    EXPECT_TRUE(wait_until_heard(rig, SIGINT));
    rig.type("\x03");
    const Finished done = rig.wait();
    EXPECT_FALSE(done.timed_out) << where << done;
    expect_end(done, dir / "out", 1, "aborted", "did not return");
  }
}

TEST(End, ADestructorThatDoesNotReturnIsNamedAndEndedByASecondSignal) {
  const TempDir dir;
  dir.write("rig.yaml", std::string("rig: stays\nframe: { period: 1 ms }\nrealtime: { enabled: no }\n"
                                    "threads: { main: { policy: other } }\nmemory: { lock: no, heap: 0 B }\n"
                                    "models: { it: { model: stays_when_destroyed, library: '") +
                            TACTUS_HOSTILE_LIBRARY + "' } }\n");
  Process process(tactus({"run", "rig.yaml", "--frames", "5", "--out", "out"}, dir.path()));
  ASSERT_TRUE(process.wait_for_output("waiting for a call that was made while model 'it' was destroyed"))
      << process.err();
  process.signal(SIGINT);
  EXPECT_TRUE(wait_until_heard(process, SIGINT));
  process.signal(SIGTERM);  // the same one again, at once, is not a second
  const Finished done = process.wait();
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "aborted");
  EXPECT_EQ(
      summary["reason"],
      "ended by a second signal after the rig's end while model 'it' was destroyed; before that: completed");
  EXPECT_EQ(summary["frames"]["run"], 5);
}

TEST(EndNightly, TimeoutWhichTellsTheWholeGroupTooStopsARigInOrder) {
  int begun = 0, stopped = 0;
  constexpr int kRigs = 20;
  for (int i = 0; i < kRigs; ++i) {
    const TempDir dir;
    Command command = run_rig("servo", {"--out", "out", "--set", "until=stopped"}, dir.path());
    command.argv = Arguments{"timeout", "2"} + command.argv;
    EXPECT_EQ(run(command).status, 124);
    if (!fs::exists(dir / "out/summary.json")) continue;  // a busy machine had not begun it in that time
    ++begun;
    stopped += summary_of(dir / "out").value("outcome", "") == "stopped" ? 1 : 0;
  }
  if (begun < 3)
    GTEST_SKIP() << "the machine is too busy: it began " << begun << " rigs in their two seconds";
  EXPECT_GE(stopped, begun - 2) << "a machine that stands still makes two wishes of one";
}

TEST(EndNightly, ACtrlCBeforeTheFirstFrameIsAStopToo) {
  const TempDir dir;
  for (int i = 0; i < 5; ++i) {
    const std::string out = "out" + std::to_string(i);
    Process rig(run_rig("servo", {"--out", out}, dir.path()));
    ASSERT_TRUE(wait_for_text(dir / out / "rig.yaml", "rig: servo"));
    rig.signal(SIGINT);
    expect_end(rig.wait(), dir / out, 0, "stopped", "SIGINT");
  }
}

TEST(End, CtrlCIsHeardInAFreeze) {
  const TempDir dir;
  Command command = run_rig(
      "servo", {"--set", "until=stopped", "--set", "realtime.freeze_frame=1 s", "--out", "out"}, dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  rig.signal(SIGUSR1);
  ASSERT_TRUE(rig.wait_for_output("paused after")) << rig.out();
  rig.type("\x03");
  const Finished done = rig.wait();  // one is enough: a freeze hears it at once
  expect_end(done, dir / "out", 0, "stopped", "SIGINT");
}

TEST(EndNightly, WhatWasFlushedSurvivesAKill) {
  const TempDir dir;
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "20000", "--out", "fast"}, dir.path())).status,
            0);
  const std::string all = read_file(dir / "fast/motion.csv");
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < 3; ++i) {
    const auto after = std::chrono::milliseconds(1200 + random() % 1500);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", killed after " + std::to_string(after.count()) + " ms");
    const std::string out = "out" + std::to_string(i);
    Process rig(run_rig("servo", {"--frames", "20000", "--out", out}, dir.path()));
    ASSERT_TRUE(rig.wait_for_output("20000 frames of")) << rig.err();
    std::this_thread::sleep_for(after);
    ASSERT_TRUE(wait_for_text(dir / out / "motion.csv", "\n0.")) << "it is flushed all the time";
    rig.signal(SIGKILL);
    EXPECT_EQ(rig.wait().signal, SIGKILL);
    const Table motion = read_table(dir / out / "motion.csv");
    EXPECT_FALSE(motion.rows.empty());
    for (const auto& row : motion.rows) ASSERT_EQ(row.size(), motion.header.size());
    EXPECT_EQ(motion.torn, "");
    // Every byte that is there is the right one.
    const std::string kept = read_file(dir / out / "motion.csv");
    EXPECT_EQ(all.compare(0, kept.size(), kept), 0);
    EXPECT_NE(read_file(dir / out / "log.txt").find("thread main"), std::string::npos);
  }
}

TEST(EndNightly, AClosedOutputEndsNoRig) {
  const TempDir dir;
  Command command;
  const std::string line =
      "set -o pipefail; '" TACTUS_COMMAND "' run '" + example("servo") + "' --frames 600 --out out" +
      " --set 'realtime.max_overrun=9e9 s' --set 'realtime.max_consecutive_overruns=100000000 frames'" +
      " --set 'threads.stuck_after=30 s'" + (kSanitized ? " --set memory.lock=no" : "");
  command.cwd = dir.path();
  command.argv = {"bash", "-c", line + " | head -1"};
  const Finished done = run(command);
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 600);
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 600U);
}

TEST(EndNightly, ADescriptorThatIsClosedFromTheStartIsNoFileOfTheRun) {
  const TempDir dir;
  Command command;
  command.cwd = dir.path();
  command.argv = {"bash", "-c",
                  "exec '" TACTUS_COMMAND "' run '" + example("servo") +
                      "' --no-realtime --frames 50 --out out <&- >&- 2>&-"};
  EXPECT_EQ(run(command).status, 0);
  for (const char* file : {"log.txt", "motion.csv", "rig.yaml", "summary.json"})
    EXPECT_EQ(read_file(dir / "out" / file).find("frames of"), std::string::npos) << file;
}

TEST(EndNightly, ASignalThatCannotBeBlockedCostsNothingElse) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--frames", "400", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("400 frames of")) << rig.err();
  rig.signal(SIGWINCH);  // the window was resized
  rig.signal(SIGUSR2);   // a resume with nothing to resume
  EXPECT_EQ(rig.wait().status, 0);
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 400);
}

}  // namespace
}  // namespace tactus::test::end_test
