// SPDX-License-Identifier: Apache-2.0
/// Orders: at simulated times in the rig file, and by signals from outside, given to a rig that runs and to
/// one that is frozen. What the summary says of them afterwards.
#include <signal.h>

#include <thread>

#include "rig_command.hpp"

namespace tactus::test::commands_run_test {
namespace {

using namespace std::chrono_literals;

// --- in the rig file

/// A rig of 60 frames with a model that counts its calls of one class.
struct Timed {
  TempDir dir;
  Finished done;
  Json summary;
  Table table;

  explicit Timed(const std::string& commands, const std::string& counted = "scheduled",
                 const Arguments& more = {}) {
    dir.write("rig.yaml",
              "rig: timed\nframe: { period: 1 ms }\nuntil: 60 ms\nmemory: { lock: no, heap: 0 B }\n"
              "realtime: { freeze_frame: 1 ms }\n"
              "models: { m: { model: fault, library: test_load, parameters: { in: " +
                  counted + " } } }\nrecord: { m: { variables: [m.calls] } }\ncommands:\n" + commands);
    done = run(tactus(Arguments{"run", "rig.yaml", "--no-realtime", "--out", "out"} + more, dir.path()));
    summary = summary_of(dir / "out");
    table = read_table(dir / "out/m.csv");
  }
  void expect_end(int status, const std::string& outcome, std::int64_t frames) const {
    EXPECT_EQ(done.status, status) << done;
    EXPECT_EQ(summary["exit_status"], status);
    EXPECT_EQ(summary["outcome"], outcome) << summary["reason"];
    EXPECT_EQ(summary["frames"]["run"], frames);
    EXPECT_EQ(table.torn, "");
  }
  std::int64_t calls(const std::string& job) const {
    for (const Json& each : summary["jobs"])
      if (each["name"] == "m." + job) return each["calls"].get<std::int64_t>();
    ADD_FAILURE() << "no job " << job;
    return -1;
  }
};

TEST(TimedCommandsNightly, APauseLastsForItsTimeAndShowsInNoNumber) {
  const Timed plain("  []\n");
  plain.expect_end(0, "completed", 60);
  const Timed rig("  - { at: 10 ms, do: pause, for: 20 ms }\n");
  rig.expect_end(0, "completed", 60);
  EXPECT_EQ(rig.calls("freeze_init"), 1);
  EXPECT_EQ(rig.calls("freeze"), 20);
  EXPECT_EQ(rig.calls("freeze_scheduled"), 20);
  EXPECT_EQ(rig.calls("unfreeze"), 1);
  EXPECT_EQ(rig.table.rows, plain.table.rows);
  EXPECT_EQ(rig.summary["sim_time_ns"], 60'000'000);
}

TEST(TimedCommandsNightly, APauseForLessThanAFreezeFrameLastsOne) {
  const Timed rig("  - { at: 10 ms, do: pause, for: 1 ns }\n");
  rig.expect_end(0, "completed", 60);
  EXPECT_EQ(rig.calls("freeze"), 1);
}

TEST(TimedCommandsNightly, AResumeOfTheSameTimeEndsThePause) {
  const Timed rig("  - { at: 10 ms, do: pause }\n  - { at: 10 ms, do: resume }\n");
  rig.expect_end(0, "completed", 60);
  EXPECT_EQ(rig.calls("freeze_init"), 1);
  EXPECT_EQ(rig.calls("freeze"), 1);
}

TEST(TimedCommands, AStepAfterAPauseRunsItsFramesAndFreezes) {
  const Timed rig(
      "  - { at: 10 ms, do: pause }\n  - { at: 10 ms, do: step, frames: 5 }\n  - { at: 15 ms, do: stop }\n");
  rig.expect_end(0, "stopped", 15);
}

TEST(TimedCommandsNightly, AStopEndsInOrder) {
  const Timed rig("  - { at: 25 ms, do: stop }\n");
  rig.expect_end(0, "stopped", 25);
  EXPECT_NE(rig.summary["reason"].get<std::string>().find("rig file"), std::string::npos);
  EXPECT_EQ(rig.table.rows.size(), 25U);
}

TEST(TimedCommandsNightly, AStopAtTimeZeroRunsNoFrame) {
  const Timed rig("  - { at: 0 s, do: stop }\n");
  rig.expect_end(0, "stopped", 0);
  EXPECT_TRUE(rig.table.rows.empty());
}

TEST(TimedCommandsNightly, AnAbortEndsAsOnAFault) {
  const Timed rig("  - { at: 25 ms, do: abort }\n");
  rig.expect_end(1, "aborted", 25);
  EXPECT_EQ(rig.table.rows.size(), 25U);
}

TEST(TimedCommandsNightly, AbortWinsOverAllThatComesWithIt) {
  const Timed rig(
      "  - { at: 25 ms, do: stop }\n  - { at: 25 ms, do: abort }\n  - { at: 25 ms, do: pause, for: 5 ms }\n");
  rig.expect_end(1, "aborted", 25);
}

TEST(TimedCommandsNightly, AFrozenRigCanBeStoppedAndAborted) {
  const Timed stopped("  - { at: 25 ms, do: pause }\n  - { at: 25 ms, do: stop }\n");
  stopped.expect_end(0, "stopped", 25);
  EXPECT_LE(stopped.calls("freeze"), 2);
  const Timed aborted("  - { at: 25 ms, do: pause }\n  - { at: 25 ms, do: abort }\n");
  aborted.expect_end(1, "aborted", 25);
}

TEST(TimedCommands, AResetGoesBackOnceAndBeginsAnew) {
  const Timed plain("  []\n");
  const Timed rig("  - { at: 30 ms, do: reset }\n");
  rig.expect_end(0, "completed", 90);
  EXPECT_EQ(rig.summary["resets"], 1);
  EXPECT_EQ(rig.summary["sim_time_ns"], 60'000'000);
  ASSERT_EQ(rig.table.rows.size(), 90U);
  EXPECT_TRUE(std::equal(plain.table.rows.begin(), plain.table.rows.end(), rig.table.rows.begin() + 30));
  EXPECT_TRUE(std::equal(plain.table.rows.begin(), plain.table.rows.begin() + 30, rig.table.rows.begin()));
}

TEST(TimedCommandsNightly, AFrozenRigCanBeReset) {
  const Timed rig(
      "  - { at: 30 ms, do: pause, for: 5 ms }\n  - { at: 30 ms, do: reset }\n  - { at: 31 ms, do: resume "
      "}\n");
  EXPECT_EQ(rig.summary["resets"], 1) << rig.done;
}

TEST(TimedCommandsNightly, AJobIsSwitchedOffAndOn) {
  const Timed rig(
      "  - { at: 10 ms, do: disable, job: m.scheduled }\n  - { at: 30 ms, do: enable, job: m.scheduled }\n");
  rig.expect_end(0, "completed", 60);
  EXPECT_EQ(rig.calls("scheduled"), 40);
  const auto calls = rig.table.integers("m.calls");
  ASSERT_EQ(calls.size(), 60U);
  EXPECT_EQ(calls[9], 10);
  EXPECT_EQ(calls[29], 10);
  EXPECT_EQ(calls[30], 11);
  EXPECT_EQ(calls[59], 40);
}

TEST(TimedCommandsNightly, ACheckpointHasTheNameItWasGivenOrOneOfItsFrame) {
  const Timed rig("  - { at: 10 ms, do: checkpoint, file: mine.tck }\n");
  rig.expect_end(0, "completed", 60);
  EXPECT_TRUE(std::filesystem::exists(rig.dir / "out/checkpoints/mine.tck"));
  EXPECT_EQ(rig.summary["checkpoints"]["written"].size(), 1U);
  const Timed unnamed("  - { at: 10 ms, do: checkpoint }\n");
  EXPECT_TRUE(std::filesystem::exists(unnamed.dir / "out/checkpoints/frame-10.tck"))
      << unnamed.summary["checkpoints"];
}

struct Wrong {
  const char* name;
  const char* command;
  const char* said;
};
void PrintTo(const Wrong& row, std::ostream* out) { *out << row.name; }
class WrongCommands : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(
    TimedCommands, WrongCommands,
    ::testing::Values(Wrong{"unknown", "{ at: 1 ms, do: dance }", "pause"},
                      Wrong{"frames_of_a_pause", "{ at: 1 ms, do: pause, frames: 3 }", "'do: step'"},
                      Wrong{"for_of_a_stop", "{ at: 1 ms, do: stop, for: 3 ms }", "'do: pause'"},
                      Wrong{"until_of_a_step", "{ at: 1 ms, do: step, until: 3 ms }", "'do: run_until'"},
                      Wrong{"run_until_without_until", "{ at: 1 ms, do: run_until }", "until"},
                      Wrong{"run_until_the_past", "{ at: 10 ms, do: run_until, until: 5 ms }", "until"},
                      Wrong{"enable_without_a_job", "{ at: 1 ms, do: enable }", "job"},
                      Wrong{"enable_nobody", "{ at: 1 ms, do: enable, job: m.schedule }", "m.scheduled"},
                      Wrong{"file_elsewhere", "{ at: 1 ms, do: checkpoint, file: ../x.tck }", "file"},
                      Wrong{"negative_time", "{ at: -1 ms, do: stop }", "at"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(WrongCommands, AreRefusedBeforeAnythingStarts) {
  const TempDir dir;
  dir.write("rig.yaml", std::string("rig: timed\nframe: { period: 1 ms }\nuntil: 60 ms\n"
                                    "models: { m: { model: fault, library: test_load } }\ncommands:\n  - ") +
                            GetParam().command + "\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--no-realtime", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("commands[0]"), std::string::npos) << done;
  EXPECT_NE(done.err.find(GetParam().said), std::string::npos) << done;
  EXPECT_FALSE(std::filesystem::exists(dir / "out"));
}

TEST(TimedCommands, AnElementOfAForcedArrayDoesNotEndTheForceOfTheOthers) {
  const TempDir dir;
  dir.write("rig.yaml",
            "rig: held\nframe: { period: 10 ms }\nuntil: 60 ms\nmemory: { lock: no, heap: 0 B }\n"
            "models: { d: { model: driver, library: vehicle } }\nrecord: { d: { variables: [d.pull] } }\n"
            "commands:\n"
            "  - { at: 10 ms, do: { force: { d.pull: [1 m/s^2, 2 m/s^2, 3 m/s^2, 4 m/s^2, 5 m/s^2] } } }\n"
            "  - { at: 20 ms, do: 'force d.pull[1] 9 m/s^2' }\n  - { at: 30 ms, do: 'release d.pull[1]' }\n"
            "  - { at: 40 ms, do: [ release d.pull, 'force d.pull[1] 9 m/s^2' ] }\n");
  const Finished done = run(tactus({"run", "rig.yaml", "--no-realtime", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(read_table(dir / "out/d.csv").column("d.pull[1]"),
            (std::vector<std::string>{"2.1", "2", "2", "2", "9", "9"}));
  const std::string log = read_file(dir / "out/log.txt");
  EXPECT_NE(log.find("'force d.pull[1] 9 m/s^2' could not be done"), std::string::npos) << log;
  EXPECT_NE(log.find("'release d.pull[1]' could not be done"), std::string::npos) << log;
}

// --- by signals

/// servo.yaml at its own pace on a terminal, whose status line shows every frame at which the rig stands
/// still.
struct Signalled {
  TempDir dir;
  Process rig;

  explicit Signalled(const Arguments& more = {}) : rig(command(dir, more)) {
    EXPECT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  }
  static Command command(const TempDir& dir, const Arguments& more) {
    Command command =
        run_rig("servo", Arguments{"--set", "until=stopped", "--out", "out"} + more, dir.path());
    command.terminal = true;
    return command;
  }
  void order(int signal, int value) {
    sigval with{};
    with.sival_int = value;
    ASSERT_EQ(::sigqueue(rig.pid(), SIGRTMIN + signal, with), 0);
  }
  std::string log() const { return read_file(dir / "out/log.txt"); }
  /// The frames after which it was paused last; waits until it has been `times`.
  std::int64_t paused(int times = 1) {
    const std::string what = "paused after ";
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (std::chrono::steady_clock::now() < until) {
      const std::string text = log();
      int count = 0;
      std::size_t last = 0;
      for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
        last = at;
      }
      if (count >= times) return std::stoll(text.substr(last + what.size()));
      std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "it never paused: " << log();
    return -1;
  }
  /// Until the status line, as it stands now, says that it is paused there.
  ::testing::AssertionResult stands_at(std::int64_t frame) {
    const auto until = std::chrono::steady_clock::now() + kTimeout;
    while (std::chrono::steady_clock::now() < until) {
      (void)rig.wait_for_output("a text that never comes", 50ms);
      const std::string line = rig.out().substr(std::min(rig.out().rfind("frame "), rig.out().size()));
      if (line.starts_with("frame " + std::to_string(frame) + "  t ") &&
          line.find("PAUSED") != std::string::npos)
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "it never stood at frame " << frame << ": " << rig.out();
  }
  Json end(int status) {
    const Finished done = rig.wait();
    EXPECT_EQ(done.status, status) << done;
    return summary_of(dir / "out");
  }
};

constexpr int kStep = 0, kRunUntil = 1, kReset = 2, kAbort = 4;  // above SIGRTMIN

TEST(Signals, AStepFromFrozenRunsItsFramesAndFreezesAgain) {
  Signalled test;
  test.rig.signal(SIGUSR1);
  const std::int64_t frozen = test.paused();
  test.order(kStep, 7);
  ASSERT_TRUE(test.stands_at(frozen + 7));
  test.rig.signal(SIGRTMIN + kStep);  // one, as kill(1) sends it without a value
  ASSERT_TRUE(test.stands_at(frozen + 8));
  test.order(kStep, -5);  // nonsense is one, too
  ASSERT_TRUE(test.stands_at(frozen + 9));
  test.rig.signal(SIGINT);
  const Json summary = test.end(0);
  EXPECT_EQ(summary["outcome"], "stopped");
  EXPECT_EQ(summary["frames"]["run"], frozen + 9);
}

TEST(SignalsNightly, AStepFromRunningFreezesAfterItsFrames) {
  Signalled test;
  test.order(kStep, 50);
  const std::int64_t frozen = test.paused();
  EXPECT_GE(frozen, 50);
  test.rig.signal(SIGINT);
  EXPECT_EQ(test.end(0)["frames"]["run"], frozen);
}

TEST(SignalsNightly, RunUntilFreezesAtTheTimeFromRunningAndFromFrozen) {
  Signalled test;
  test.order(kRunUntil, 900);  // ms, 1 ms a frame; in the past, should this machine be that slow
  const std::int64_t frozen = test.paused();
  EXPECT_GE(frozen, 900);
  const auto later = static_cast<int>(frozen + 40);
  test.order(kRunUntil, later);
  ASSERT_TRUE(test.stands_at(later));
  test.order(kRunUntil, 10);  // past: it stays where it stands
  EXPECT_TRUE(wait_until_heard(test.rig, SIGRTMIN + kRunUntil));
  std::this_thread::sleep_for(300ms);
  test.rig.signal(SIGINT);
  EXPECT_EQ(test.end(0)["frames"]["run"], later);
}

TEST(SignalsNightly, AResetFromRunningGoesOnFromTheBeginning) {
  Signalled test;
  std::this_thread::sleep_for(200ms);
  test.rig.signal(SIGRTMIN + kReset);
  ASSERT_TRUE(wait_for_text(test.dir / "out/log.txt", "reset done: ")) << test.log();
  std::this_thread::sleep_for(300ms);
  test.rig.signal(SIGUSR1);
  (void)test.paused();
  test.rig.signal(SIGINT);
  const Json summary = test.end(0);
  EXPECT_EQ(summary["resets"], 1);
  EXPECT_EQ(summary["outcome"], "stopped");
  EXPECT_LT(summary["sim_time_ns"], summary["frames"]["run"].get<std::int64_t>() * 1'000'000);
  // From the reset on the numbers are those of the beginning.
  const Table motion = read_table(test.dir / "out/motion.csv");
  std::size_t again = 1;
  while (again < motion.rows.size() && motion.rows[again][0] != motion.rows[0][0]) ++again;
  for (std::size_t i = 0; again + i < motion.rows.size() && i < again; ++i)
    ASSERT_EQ(motion.rows[again + i], motion.rows[i]) << "row " << i;
}

TEST(SignalsNightly, AResetFromFrozenStandsAtTheBeginning) {
  Signalled test;
  test.rig.signal(SIGUSR1);
  const std::int64_t frozen = test.paused();
  test.rig.signal(SIGRTMIN + kReset);
  ASSERT_TRUE(test.stands_at(0));
  std::this_thread::sleep_for(300ms);
  test.order(kStep, 3);
  ASSERT_TRUE(test.stands_at(3));
  test.rig.signal(SIGINT);
  const Json summary = test.end(0);
  EXPECT_EQ(summary["resets"], 1);
  EXPECT_EQ(summary["frames"]["run"], frozen + 3);
  EXPECT_EQ(summary["sim_time_ns"], 3'000'000);
}

TEST(SignalsNightly, AnAbortFromRunningAndFromFrozen) {
  for (const bool frozen : {false, true}) {
    Signalled test;
    if (frozen) {
      test.rig.signal(SIGUSR1);
      (void)test.paused();
    }
    test.rig.signal(SIGRTMIN + kAbort);
    const Json summary = test.end(1);
    EXPECT_EQ(summary["outcome"], "aborted");
    EXPECT_EQ(summary["reason"], "aborted by a signal");
    EXPECT_EQ(read_table(test.dir / "out/motion.csv").rows.size(), summary["frames"]["run"]);
  }
}

TEST(SignalsNightly, TheyAreHeardBeforeTheFirstFrameToo) {
  for (const int signal : {SIGUSR1, SIGRTMIN + kReset, SIGRTMIN + kAbort}) {
    const TempDir dir;
    const bool ends_by_itself = signal != SIGRTMIN + kAbort;
    Process rig(
        run_rig("servo", {"--frames", ends_by_itself ? "50" : "1000000", "--out", "out"}, dir.path()));
    ASSERT_TRUE(wait_for_text(dir / "out/rig.yaml", "rig: servo"));
    rig.signal(signal);
    std::this_thread::sleep_for(200ms);
    rig.signal(SIGUSR2);  // should it be paused
    const Finished done = rig.wait();
    EXPECT_FALSE(done.timed_out) << done;
    EXPECT_EQ(done.status, ends_by_itself ? 0 : 1) << done;
  }
}

}  // namespace
}  // namespace tactus::test::commands_run_test
