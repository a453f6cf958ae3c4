// SPDX-License-Identifier: Apache-2.0
/// Frames clocked from outside, through the whole program: a line that is simulated (tests/rig/drivers) in
/// the place of a real one. Which frame is how late is no matter here; what the edges do to the run is.
#include <csignal>
#include <optional>
#include <regex>
#include <thread>

#include "rig_command.hpp"

namespace tactus::test::clock_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A rig of 5 ms frames clocked by the simulated line, for so many frames.
Command clocked(const TempDir& dir, const std::string& clock, const std::string& frames,
                const Arguments& more = {}) {
  dir.write("rig.yaml",
            "rig: clocked\n"
            "frame: { period: 5 ms }\n"
            "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }\n"
            "threads: { main: { policy: other }, stuck_after: 30 s }\n"
            "memory: { lock: no, heap: 0 B }\n"
            "clock: { driver: sim, period: 5 ms, jitter_limit: 2 ms, late_limit: 2.5 ms, " +
                clock +
                " }\n"
                "record: { clock: { variables: [clock.state, clock.edges, clock.missing,"
                " clock.phase_error, clock.frequency, clock.faults.glitch, rt.late] } }\n");
  Command command =
      tactus(Arguments{"run", "rig.yaml", "--out", "out", "--frames", frames} + more, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  return command;
}

Json clock_of(const TempDir& dir) { return summary_of(dir / "out")["clock"]; }

class EveryDiscipline : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Clocked, EveryDiscipline, ::testing::Values("pll", "edge"),
                         [](const auto& one) { return one.param; });

using EveryDisciplineNightly = EveryDiscipline;
INSTANTIATE_TEST_SUITE_P(Clocked, EveryDisciplineNightly, ::testing::Values("pll", "edge"),
                         [](const auto& one) { return one.param; });

TEST_P(EveryDisciplineNightly, ASteadySourceIsFollowed) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "discipline: " + GetParam(), "200"));
  EXPECT_EQ(done.status, 0) << done;
  const Json clock = clock_of(dir);
  EXPECT_EQ(clock["driver"], "sim");
  EXPECT_EQ(clock["source"], "sim line");
  EXPECT_EQ(clock["state"], "locked");
  EXPECT_EQ(clock["missing"], 0);
  EXPECT_GE(clock["edges"], 190);
  EXPECT_EQ(clock["glitches"], 0);
  EXPECT_EQ(clock["faults"]["missing"], 0);
  EXPECT_LT(std::abs(clock["frequency_ppm"].get<double>()), 1);
  EXPECT_LT(clock["phase_error_ns"]["p99"], 1000);  // the stamps are exact, whenever they are read
  const Table table = read_table(dir / "out/clock.csv");
  EXPECT_EQ(table.rows.size(), 200U);
  EXPECT_EQ(table.integers("clock.state").back(), 1);
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 200);
}

TEST_P(EveryDiscipline, AGapIsBridgedOnTheInternalClock) {
  std::optional<TempDir> dir;
  Json clock;
  for (int i = 0; i < 5 && (!dir || clock["frames_free"] == 0);
       ++i) {  // a machine may stand still over the gap
    dir.emplace();
    const Finished done = run(clocked(*dir, "discipline: " + GetParam() + ", first_gap: 50, gap: 5", "150"));
    EXPECT_EQ(done.status, 0) << done;
    clock = clock_of(*dir);
  }
  EXPECT_EQ(clock["missing"], 5);
  EXPECT_EQ(clock["max_consecutive_missing"], 5);
  EXPECT_EQ(clock["faults"]["missing"], 0) << "not lost";
  EXPECT_GE(clock["relocks"], 1);
  EXPECT_EQ(clock["state"], "locked");
  EXPECT_GE(clock["frames_free"], 1);
  const std::string log = read_file(*dir / "out/log.txt");
  // It is told once a second, and that may be in the middle of the gap.
  const std::regex missing("edges since the last report: (\\d+) missing");
  int told = 0;
  for (auto at = std::sregex_iterator(log.begin(), log.end(), missing); at != std::sregex_iterator(); ++at)
    told += std::stoi((*at)[1]);
  EXPECT_EQ(told, 5) << log;
}

TEST_P(EveryDiscipline, ALostClockTerminates) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "discipline: " + GetParam() + ", silent_after: 60, on_missing: terminate", "100000"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "clock_lost");
  EXPECT_NE(summary["reason"].get<std::string>().find("edges in a row are missing"), std::string::npos)
      << summary["reason"];
  EXPECT_NE(done.out.find("sim line"), std::string::npos) << done;
  EXPECT_EQ(summary["clock"]["state"], "lost");
  EXPECT_EQ(summary["clock"]["faults"]["missing"], 1);
  EXPECT_LT(summary["frames"]["run"], 200);
}

TEST(ClockedNightly, ALostClockRunsFreeIfItIsTold) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "silent_after: 40, on_missing: free_run", "120"));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(clock_of(dir)["state"], "lost");
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 120);
}

TEST(ClockedNightly, ALostClockFreezesIfItIsTold) {
  const TempDir dir;
  // Two seconds of silence: a machine that stands still for one of them does not miss it.
  Command command = clocked(dir, "first_gap: 40, gap: 400, on_missing: freeze", "200");
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("a fault of the external clock: the external clock is lost: "))
      << rig.out();
  ASSERT_TRUE(rig.wait_for_output("PAUSED")) << rig.out();
  std::this_thread::sleep_for(2500ms);  // the edges are back by then, whatever the machine does
  rig.signal(SIGUSR2);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 200);
}

TEST(ClockedNightly, ALostClockIsNoticedByFramesThatRunBackToBack) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "silent_after: 60, on_missing: terminate", "2000",
                                    {"--set", "realtime.on_overrun=catch_up", "--set",
                                     "models.load={model: late, library: test_load, parameters: {every: 1, "
                                     "from_frame: 0, for_frames: 0, busy: 6 ms}}"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "clock_lost");
}

TEST(ClockedNightly, AllOfItsVariablesCanBeRecordedAtOnce) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "slew: 1 %", "20", {"--set", "record.clock.variables=[clock.*, rt.*]"}));
  EXPECT_EQ(done.status, 0) << done;
  const Table table = read_table(dir / "out/clock.csv");
  EXPECT_NO_THROW((void)table.column("clock.faults.missing"));
  EXPECT_NO_THROW((void)table.column("rt.slack"));
}

TEST(Clocked, ARemovedLineTerminates) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "gone_at: 60", "100000"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "clock_lost");
  EXPECT_NE(summary["reason"].get<std::string>().find("No such device"), std::string::npos)
      << summary["reason"];
  EXPECT_EQ(summary["clock"]["faults"]["gone"], 1);
}

TEST(Clocked, NoEdgeAtTheStartEndsBeforeTheFirstFrame) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "silent_after: 0, start_timeout: 300 ms", "1000"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "clock_lost");
  EXPECT_EQ(summary["frames"]["run"], 0);
  EXPECT_NE(done.out.find("no edge within"), std::string::npos) << done;
}

TEST(ClockedNightly, NoEdgeAtTheStartRunsFreeIfItIsTold) {
  const TempDir dir;
  const Finished done = run(clocked(
      dir, "silent_after: 0, start_timeout: 300 ms, on_start_timeout: free_run, on_missing: free_run", "50"));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 50);
  EXPECT_EQ(clock_of(dir)["state"], "lost");
}

TEST(ClockedNightly, NoEdgeAtTheStartFreezesIfItIsToldAndCtrlCEndsIt) {
  const TempDir dir;
  Command command = clocked(dir, "silent_after: 0, start_timeout: 300 ms, on_start_timeout: freeze", "50");
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("PAUSED")) << rig.out();
  rig.type("\x03");
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 0);
}

TEST(ClockedNightly, CtrlCWhileTheFirstEdgeIsAwaitedStopsAtOnce) {
  const TempDir dir;
  Command command = clocked(dir, "silent_after: 0, start_timeout: 3600 s", "50");
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output("waiting for the edges of sim line")) << rig.out();
  rig.type("\x03");
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "stopped");
}

TEST(ClockedNightly, TheWrongRateIsFoundBeforeTheFirstFrame) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "on_wrong_rate: terminate", "1000", {"--set", "clock.period=5.1 ms"}));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "clock_lost");
  EXPECT_NE(done.out.find("the rig file says 200 Hz"), std::string::npos) << done;
}

TEST(ClockedNightly, DoubledEdgesAreCountedAndNotFollowed) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "double_every: 10", "100"));
  EXPECT_EQ(done.status, 0) << done;
  const Json clock = clock_of(dir);
  EXPECT_GE(clock["glitches"], 5);
  EXPECT_EQ(clock["missing"], 0);
  EXPECT_EQ(clock["state"], "locked");
}

TEST(ClockedNightly, ASlowEdgeDisciplinesFasterFrames) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "frames_per_edge: 10, lock_after: 3", "300", {"--set", "clock.period=50 ms"}));
  EXPECT_EQ(done.status, 0) << done;
  const Json clock = clock_of(dir);
  EXPECT_EQ(clock["state"], "locked");
  EXPECT_EQ(clock["missing"], 0);
  EXPECT_GE(clock["edges"], 25);
  // Of slots that a slow machine loses, too.
  const auto lost = summary_of(dir / "out")["frames"]["lost"].get<std::int64_t>();
  EXPECT_LE(clock["edges"], (300 + lost) / 10 + 30);
}

TEST(ClockedNightly, AFastEdgeStartsEveryManyth) {
  for (int tries = 1;; ++tries) {
    const TempDir dir;
    const Finished done = run(clocked(dir, "edges_per_frame: 5", "100",
                                      {"--set", "clock.period=1 ms", "--set", "clock.jitter_limit=400 us",
                                       "--set", "clock.late_limit=500 us"}));
    if (tries < 10 && (done.status != 0 || clock_of(dir)["missing"] != 0))
      continue;  // stopped by the machine
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(clock_of(dir)["missing"], 0);
    EXPECT_GE(clock_of(dir)["edges"], 450);
    return;
  }
}

TEST(ClockedNightly, ALineThatIsNotThereIsTheMachinesFault) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "missing: yes", "10"));
  EXPECT_EQ(done.status, 3) << done;
  EXPECT_NE(done.err.find("no such line for rig clocked; plug it in"), std::string::npos) << done;
  EXPECT_FALSE(fs::exists(dir / "out/summary.json"));
}

TEST(ClockedNightly, WithoutRealTimeTheLineIsNotOpened) {
  const TempDir dir;
  const Finished done = run(clocked(dir, "missing: yes", "10", {"--no-realtime"}));
  EXPECT_EQ(done.status, 0) << done;
}

TEST(ClockedNightly, WhatDoesNotGoTogetherIsRefused) {
  struct Case {
    const char* set;
    const char* says;
  };
  for (const Case& c :
       {Case{"realtime.ratio=2", "it has to be 1"}, Case{"realtime.clock=tsc", "it has to be monotonic"},
        Case{"realtime.sleep_timer=no", "it has to be yes"},
        Case{"clock={driver: sim, frames_per_edge: 2, edges_per_frame: 2}", "edges_per_frame"},
        Case{"clock.jitter_limit=2.6 ms", "jitter_limit"}, Case{"clock.late_limit=2.6 ms", "late_limit"},
        Case{"clock.nonsense=1", "clock.nonsense: unknown key"},
        Case{"clock.driver=sims", "no driver 'sims' of kind 'clock'"},
        Case{"models.clock={model: late, library: test_load}", "is reserved for the executive's own"}}) {
    const TempDir dir;
    const Finished done = run(clocked(dir, "slew: 1 %", "10", {"--set", c.set}));
    EXPECT_EQ(done.status, 2) << c.set << done;
    EXPECT_NE(done.err.find(c.says), std::string::npos) << c.set << done;
  }
}

TEST(ClockedNightly, AKeyOfADriverIsUnknownToTheInternalClock) {
  const TempDir dir;
  dir.write("rig.yaml", "rig: a\nframe: { period: 1 ms }\nclock: { chip: gpiochip0 }\n");
  const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("clock.chip: unknown key"), std::string::npos) << done;
}

TEST(ClockedNightly, TheRunFolderKeepsTheDriversKeys) {
  const TempDir dir;
  ASSERT_EQ(run(clocked(dir, "double_every: 0", "10")).status, 0);
  const std::string kept = read_file(dir / "out/rig.yaml");
  EXPECT_NE(kept.find("driver: sim"), std::string::npos) << kept;
  EXPECT_NE(kept.find("silent_after: -1"), std::string::npos) << kept;
  Command again = tactus({"check", "out/rig.yaml"}, dir.path());
  again.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  EXPECT_EQ(run(again).status, 0);
}

}  // namespace
}  // namespace tactus::test::clock_test
