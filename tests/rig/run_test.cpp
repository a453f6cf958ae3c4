// SPDX-License-Identifier: Apache-2.0
/// A run from start to end: what it leaves, what it says, and that both agree.
#include <algorithm>
#include <regex>

#include "rig_command.hpp"

namespace tactus::test::run_test {
namespace {

namespace fs = std::filesystem;

/// Every key of the contract with a value of its type. Keys may be added, so others are no error.
const Json& contract() {
  static const Json kContract = Json::parse(R"({
    "rig": "servo", "outcome": "completed", "reason": "", "exit_status": 0,
    "frames": {"planned": 1, "run": 1, "overruns": 0, "max_consecutive_overruns": 0, "lost": 0},
    "period_ns": 1, "sim_time_ns": 1,
    "late_ns": {"p50": 0, "p99": 0, "p99_9": 0, "max": 0}, "slack_ns": {"min": 0, "p50": 0},
    "work_ns": {"p50": 0, "p99": 0, "max": 0}, "behind_ns": {"p50": 0, "p99": 0, "max": 0},
    "rt": {"realtime": true, "policy": "", "priority": 80, "cpu": 1, "memory_locked": true,
           "page_faults": 0, "heap_calls": 0, "involuntary_switches": 0},
    "jobs": [{"name": "", "class": "", "thread": "", "calls": 1, "time_ns": {"p50": 0, "p99": 0, "max": 0}}],
    "host": {"kernel": "", "preempt": "", "cpus": 2}})");
  return kContract;
}

void expect_keys(const Json& wanted, const Json& found, const std::string& path) {
  for (const auto& [key, value] : wanted.items()) {
    const std::string here = path + "." + key;
    if (!found.contains(key)) {
      ADD_FAILURE() << here << " is missing";
      continue;
    }
    const Json& other = found[key];
    if (value.is_object()) {
      expect_keys(value, other, here);
    } else if (value.is_array()) {
      EXPECT_TRUE(other.is_array() && !other.empty()) << here;
      for (const Json& element : other) expect_keys(value[0], element, here);
    } else if (value.is_number()) {
      // The heap cannot be counted in a sanitized build; then it is null, not a lie.
      const bool unknown = kSanitized && key == "heap_calls" && other.is_null();
      EXPECT_TRUE(other.is_number_integer() || unknown) << here << ": " << other;
    } else {
      EXPECT_EQ(value.type(), other.type()) << here << ": " << other;
    }
  }
}

TEST(Run, LeavesASummaryThatKeepsTheContract) {
  const TempDir dir;
  const Finished done = run(run_rig("servo", {"--frames", "500", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  expect_keys(contract(), summary, "summary");
  EXPECT_EQ(summary["rig"], "servo");
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_EQ(summary["reason"], "");
  EXPECT_EQ(summary["exit_status"], 0);
  EXPECT_EQ(summary["frames"]["planned"], 500);
  EXPECT_EQ(summary["frames"]["run"], 500);
  EXPECT_EQ(summary["period_ns"], 1'000'000);
  EXPECT_EQ(summary["sim_time_ns"], 500'000'000);
  EXPECT_EQ(summary["rt"]["realtime"], true);
  EXPECT_LE(summary["late_ns"]["p50"], summary["late_ns"]["p99"]);
  EXPECT_LE(summary["late_ns"]["p99"], summary["late_ns"]["max"]);
  for (const Json& job : summary["jobs"]) {
    const bool fast = job["name"] == "motor.step" || job["name"] == "controller.current_loop";
    EXPECT_EQ(job["calls"], fast ? 2500 : 500) << job;  // 5 kHz in a 1 kHz frame
  }
}

TEST(RunNightly, RecordsEveryFrameUnderAHeader) {
  const TempDir dir;
  const Finished done = run(run_rig("servo", {"--frames", "300", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  for (const char* name : {"motion.csv", "frames.csv"}) {
    const Table table = read_table(dir / "out" / name);
    EXPECT_EQ(table.header[0], "sys.exec.out.time {s}") << name;
    ASSERT_EQ(table.rows.size(), 300U) << name;
    EXPECT_EQ(table.torn, "") << name;
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.header.size()) << name;
    EXPECT_EQ(table.rows[299][0], "0.299") << name;
  }
  EXPECT_EQ(read_table(dir / "out/motion.csv").header[1], "trajectory.position {rad}");
  EXPECT_TRUE(fs::exists(dir / "out/log.txt"));
}

TEST(Run, TheFrameLogAndTheSummaryAgree) {
  const TempDir dir;
  const Finished done = run(
      run_rig("servo", {"--frames", "1000", "--out", "out", "--set", "realtime.grace=0 frames"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  const Table frames = read_table(dir / "out/frames.csv");
  const auto late = frames.integers("rt.late");
  const auto work = frames.integers("rt.work");
  const auto slack = frames.integers("rt.slack");
  const auto behind = frames.integers("rt.behind");
  const auto overrun = frames.column("rt.overrun");
  ASSERT_EQ(late.size(), 1000U);
  EXPECT_EQ(*std::max_element(late.begin(), late.end()), summary["late_ns"]["max"]);
  EXPECT_EQ(*std::max_element(work.begin(), work.end()), summary["work_ns"]["max"]);
  EXPECT_EQ(*std::min_element(slack.begin(), slack.end()), summary["slack_ns"]["min"]);
  EXPECT_EQ(*std::max_element(behind.begin(), behind.end()), summary["behind_ns"]["max"]);
  EXPECT_EQ(std::count(behind.begin(), behind.end(), 0), 1) << "the first frame has none before it";
  EXPECT_EQ(std::count_if(slack.begin(), slack.end(), [](auto ns) { return ns < 0; }),
            summary["frames"]["overruns"]);
  EXPECT_EQ(std::count_if(overrun.begin(), overrun.end(), [](const auto& why) { return why != "none"; }),
            summary["frames"]["overruns"]);
  EXPECT_EQ(frames.integers("rt.overruns").back(), summary["frames"]["overruns"]);
  EXPECT_EQ(frames.integers("rt.late_wakes").back(), summary["frames"]["late_wakes"]);
  EXPECT_EQ(frames.integers("rt.lost").back(), summary["frames"]["lost"]);
}

/// The end line's numbers, wherever it was printed.
void expect_same_numbers(const std::string& screen, Json summary) {
  static const std::regex kEnd(
      R"((\S+): (\w+) after (\d+) frames in real time, late p50 (\S+ \w+) max (\S+ \w+), (\d+) )"
      R"(overruns?, (\d+) late wakes?(?:, (\d+) frames? late by housekeeping)?, )"
      R"((\d+) slots? lost)");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(screen, match, kEnd)) << screen;
  EXPECT_EQ(match[1].str(), summary["rig"].get<std::string>());
  EXPECT_EQ(match[2].str(), summary["outcome"].get<std::string>());
  EXPECT_EQ(std::stoll(match[3]), summary["frames"]["run"]);
  EXPECT_TRUE(same_duration(match[4], summary["late_ns"]["p50"]));
  EXPECT_TRUE(same_duration(match[5], summary["late_ns"]["max"]));
  EXPECT_EQ(std::stoll(match[6]), summary["frames"]["overruns"]);
  EXPECT_EQ(std::stoll(match[7]), summary["frames"]["late_wakes"]);
  EXPECT_EQ(match[8].matched ? std::stoll(match[8]) : 0, summary["frames"]["late_by_housekeeping"]);
  EXPECT_EQ(std::stoll(match[9]), summary["frames"]["lost"]);
}

TEST(RunNightly, WithoutATerminalOneLineAtTheStartAndOneAtTheEnd) {
  const TempDir dir;
  const Finished done = run(run_rig("servo", {"--frames", "300", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 2) << done;
  EXPECT_EQ(done.out.find('\r'), std::string::npos);
  EXPECT_EQ(done.out.find('\x1b'), std::string::npos);
  EXPECT_TRUE(done.out.starts_with("servo: 300 frames of 1.00 ms, real time: ")) << done;
  expect_same_numbers(done.out, summary_of(dir / "out"));
}

TEST(RunNightly, TheTableOnATerminalAgreesWithTheSummary) {
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "800", "--out", "out"}, dir.path());
  command.terminal = true;
  const Finished done = run(command);
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  expect_same_numbers(done.out, summary);

  const std::string duration = R"(\s+(\S+ [num]?s))";
  const auto row = [&](const std::string& name) {
    std::smatch match;
    const std::regex line("\n +" + name + duration + duration + duration + duration + "\r\n");
    EXPECT_TRUE(std::regex_search(done.out, match, line)) << name << "\n" << done.out;
    return match.empty() ? std::vector<std::string>(5, "0 ns")
                         : std::vector<std::string>(match.begin(), match.end());
  };
  const auto late = row("late");
  EXPECT_TRUE(same_duration(late[1], summary["late_ns"]["p50"]));
  EXPECT_TRUE(same_duration(late[2], summary["late_ns"]["p99"]));
  EXPECT_TRUE(same_duration(late[3], summary["late_ns"]["p99_9"]));
  EXPECT_TRUE(same_duration(late[4], summary["late_ns"]["max"]));
  const auto work = row("work");
  EXPECT_TRUE(same_duration(work[1], summary["work_ns"]["p50"]));
  EXPECT_TRUE(same_duration(work[2], summary["work_ns"]["p99"]));
  EXPECT_TRUE(same_duration(work[4], summary["work_ns"]["max"]));
  const auto behind = row("behind");
  EXPECT_TRUE(same_duration(behind[1], summary["behind_ns"]["p50"]));
  EXPECT_TRUE(same_duration(behind[4], summary["behind_ns"]["max"]));
  for (const Json& job : summary["jobs"]) {
    const auto time = row(job["name"].get<std::string>());
    EXPECT_TRUE(same_duration(time[1], job["time_ns"]["p50"])) << job;
    EXPECT_TRUE(same_duration(time[2], job["time_ns"]["p99"])) << job;
    EXPECT_TRUE(same_duration(time[4], job["time_ns"]["max"])) << job;
  }
  std::smatch slack;
  ASSERT_TRUE(std::regex_search(done.out, slack, std::regex(R"(slack: p50 (\S+ \w+), least (\S+ \w+))")));
  EXPECT_TRUE(same_duration(slack[1], summary["slack_ns"]["p50"]));
  EXPECT_TRUE(same_duration(slack[2], summary["slack_ns"]["min"]));

  // The bars that are left at the end count every frame once.
  const std::string bars = done.out.substr(done.out.rfind("late: how many frames"));
  const std::regex bar(R"(\.\.\s+\S+ [num]?s [# ]+ (\d+)\r\n)");
  std::int64_t counted = 0;
  for (auto at = std::sregex_iterator(bars.begin(), bars.end(), bar); at != std::sregex_iterator(); ++at)
    counted += std::stoll((*at)[1]);
  EXPECT_EQ(counted, summary["frames"]["run"]) << done.out;
}

TEST(RunNightly, TheStatusLineFitsTheTerminalAndShowsOverruns) {
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "1200", "--out", "out"}, dir.path());
  command.terminal = true;
  command.columns = 80;
  const Finished done = run(command);
  ASSERT_EQ(done.status, 0) << done;
  const std::regex status("\r\x1b\\[K((?:servo  )?frame (\\d+)  t [^\r\n]*)");
  std::int64_t last = -1;
  int lines = 0;
  for (auto at = std::sregex_iterator(done.out.begin(), done.out.end(), status); at != std::sregex_iterator();
       ++at) {
    EXPECT_LT((*at)[1].length(), 80) << (*at)[1];
    const std::int64_t frame = std::stoll((*at)[2]);
    EXPECT_GE(frame, last);
    last = frame;
    ++lines;
    if (frame > 0) {
      EXPECT_TRUE(std::regex_search((*at)[1].str(), std::regex("overruns \\d"))) << (*at)[1];
    }
  }
  EXPECT_GE(lines, 2) << done.out;
}

TEST(Run, TheRunFoldersRigFileGivesTheSameRun) {
  const TempDir dir;
  const Arguments fast{"--no-realtime", "--frames", "200"};
  ASSERT_EQ(run(run_rig("servo", fast + Arguments{"--out", "first"}, dir.path())).status, 0);
  const Finished again =
      run(tactus(Arguments{"run", "first/rig.yaml", "--out", "second"} + fast, dir.path()));
  ASSERT_EQ(again.status, 0) << again;
  EXPECT_EQ(read_file(dir / "first/motion.csv"), read_file(dir / "second/motion.csv"));
  EXPECT_EQ(read_file(dir / "first/rig.yaml"), read_file(dir / "second/rig.yaml"));
}

TEST(RunNightly, EveryExampleRigIsWrittenSoThatItLoads) {
  for (const char* rig : {"servo", "vehicle", "overrun"}) {
    const TempDir dir;
    ASSERT_EQ(run(run_rig(rig, {"--no-realtime", "--frames", "3", "--out", "out"}, dir.path())).status, 0)
        << rig;
    const Finished done = run(tactus({"check", "out/rig.yaml"}, dir.path()));
    EXPECT_EQ(done.status, 0) << rig << done;
  }
}

TEST(RunNightly, UntilAndFramesMeanTheSame) {
  const TempDir dir;
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--until", "50ms", "--out", "a"}, dir.path())).status, 0);
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "50", "--out", "b"}, dir.path())).status, 0);
  EXPECT_EQ(read_file(dir / "a/motion.csv"), read_file(dir / "b/motion.csv"));
  EXPECT_EQ(summary_of(dir / "a")["frames"]["planned"], 50);
  // As many frames as begin before that time.
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--until", "2.5 ms", "--out", "c"}, dir.path())).status,
            0);
  EXPECT_EQ(summary_of(dir / "c")["frames"]["run"], 3);
}

TEST(RunNightly, SetChangesOneValueAndTheLastOneCounts) {
  const TempDir dir;
  const Finished done =
      run(run_rig("servo",
                  {"--no-realtime", "--set", "until=20 ms", "--set", "until=0.03 s", "--set",
                   "frame.period=2 ms", "--set", "record.motion.every=2 ms", "--out", "out"},
                  dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 15);
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 15U);
}

TEST(RunNightly, WithoutOutItMakesAFolderOfItsOwnAndNeverTheSameTwice) {
  const TempDir dir;
  const Arguments fast{"--no-realtime", "--frames", "1"};
  for (int i = 0; i < 3; ++i) {
    const Finished done = run(run_rig("servo", fast, dir.path()));
    ASSERT_EQ(done.status, 0) << done;
  }
  int folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir / "runs")) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("servo-")) << entry;
    EXPECT_TRUE(fs::exists(entry.path() / "summary.json")) << entry;
    ++folders;
  }
  EXPECT_EQ(folders, 3);
}

TEST(RunNightly, QuietSaysNothingWhenAllIsWell) {
  const TempDir dir;
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--frames", "10", "--quiet", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, "");
}

TEST(RunNightly, QuietStillSaysThatItFailed) {
  const TempDir dir;
  const Finished done = run(
      run_rig("overrun",
              {"--no-realtime", "--set", "models.load.parameters.fails_at=5 ms", "--quiet", "--out", "out"},
              dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err.find("load.step"), std::string::npos) << done;
}

TEST(RunNightly, ARigFileFromAnotherSystemAndFromAFolderWithBlanksRuns) {
  const TempDir dir;
  std::string text = "\xef\xbb\xbf";  // a byte order mark, and lines as Windows ends them
  for (const char letter : read_file(example("servo")))
    text += letter == '\n' ? "\r\n" : std::string(1, letter);
  (void)dir.write("Prüfstand 1/my rig.yaml", text);
  const Finished done = run(tactus(
      {"run", "Prüfstand 1/my rig.yaml", "--no-realtime", "--frames", "50", "--out", "Prüfstand 1/out"},
      dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "50", "--out", "plain"}, dir.path())).status,
            0);
  EXPECT_EQ(read_file(dir / "Prüfstand 1/out/motion.csv"), read_file(dir / "plain/motion.csv"));
}

TEST(Run, ALibraryWithASlashIsFoundBesideTheRigFile) {
  const TempDir dir;
  fs::create_directories(dir / "bench");
  fs::copy_file(TACTUS_HANG_LIBRARY, dir / "bench/libmine.so");
  (void)dir.write(
      "bench/mine.yaml",
      "rig: mine\nframe: { period: 1 ms }\nuntil: 5 ms\nrealtime: { enabled: no }\n"
      "models: { h: { model: hang, library: ./libmine.so } }\nrecord: { h: { variables: [h.frames] } }\n");
  const Finished done = run(tactus({"run", "bench/mine.yaml", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(read_table(dir / "out/h.csv").column("h.frames").back(), "5");
  // The copy in the run folder finds it too.
  EXPECT_EQ(run(tactus({"run", "out/rig.yaml", "--out", "again"}, dir.path())).status, 0);
}

TEST(RunNightly, ALinkToTheCommandFindsThePlugIns) {
  const TempDir dir;
  fs::create_symlink(TACTUS_COMMAND, dir / "rig-runner");
  Command command = run_rig("servo", {"--no-realtime", "--frames", "2", "--out", "out"}, dir.path());
  command.argv[0] = (dir / "rig-runner").string();
  EXPECT_EQ(run(command).status, 0);
}

TEST(RunNightly, AnInputThatIsClosedIsNothingToARig) {
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "50", "--out", "out"}, dir.path());
  command.input = Input::closed;
  EXPECT_EQ(run(command).status, 0);
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 50U);
}

TEST(Run, ARigMayHaveNoModels) {
  const TempDir dir;
  const std::string file = dir.write("zero.yaml", "rig: zero\nframe: { period: 1 ms }\nuntil: 20 ms\n");
  const Finished done = run(tactus({"run", file, "--no-realtime", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 20);
  EXPECT_TRUE(summary["jobs"].empty());
}

/// A rig with one cheap model at any frame.
std::string small_rig(const std::string& period, const std::string& until) {
  return "rig: small\nframe: { period: " + period + " }\nuntil: " + until +
         "\nrealtime: { enabled: yes, sleeper: nanosleep }\nmodels:\n"
         "  load: { model: late, library: test_load, parameters: { from_frame: 1000000000 } }\n"
         "record:\n  load: { variables: [load.late_frames] }\n";
}

TEST(RunNightly, FramesOfAMicrosecondRunAllOfThem) {
  const TempDir dir;
  const std::string file = dir.write("fast.yaml", small_rig("1 us", "20 ms"));
  const Finished done = run(tactus(Arguments{"run", file, "--out", "out"} + patient(), dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 20'000);
  const std::uint64_t rows = read_table(dir / "out/load.csv").rows.size();
  EXPECT_EQ(rows, summary["recordings"][0]["written"]);
  EXPECT_EQ(rows + summary["recordings"][0]["lost"].get<std::uint64_t>(), 20'000U);
}

TEST(RunNightly, SixtyHertzNeverDrifts) {
  const TempDir dir;
  const std::string file = dir.write("hertz.yaml", small_rig("60 Hz", "1 h"));
  const Finished done = run(tactus({"run", file, "--no-realtime", "--out", "out"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 216'000);
  EXPECT_EQ(summary["sim_time_ns"], 3'600'000'000'000);
  const auto time = read_table(dir / "out/load.csv").column("sys.exec.out.time");
  ASSERT_EQ(time.size(), 216'000U);
  EXPECT_EQ(time[1], "0.016666666");
  EXPECT_EQ(time[2], "0.033333333");
  EXPECT_EQ(time[3], "0.05");
  for (std::size_t second = 0; second < 3600; ++second) ASSERT_EQ(time[60 * second], std::to_string(second));
}

TEST(RunNightly, AThirdOfAMillisecondIsExact) {
  const TempDir dir;
  const std::string file = dir.write("third.yaml", small_rig("1/3 ms", "100 ms"));
  const Finished done = run(tactus(Arguments{"run", file, "--out", "out"} + patient(), dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 300);
  EXPECT_EQ(summary_of(dir / "out")["sim_time_ns"], 100'000'000);
  const auto time = read_table(dir / "out/load.csv").column("sys.exec.out.time");
  ASSERT_EQ(time.size(), 300U);
  EXPECT_EQ(time[3], "0.001");
  EXPECT_EQ(time[297], "0.099");
}

TEST(RunNightly, TheFrequencyOfARecordingIsItsOwn) {
  const TempDir dir;
  const Finished done = run(run_rig(
      "servo", {"--no-realtime", "--until", "1s", "--set", "record.motion.every=10 ms", "--out", "out"},
      dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 100U);
}

}  // namespace
}  // namespace tactus::test::run_test
