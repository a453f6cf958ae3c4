// SPDX-License-Identifier: Apache-2.0
/// A rig runs in real time unless its file or the command says no; real outputs are not driven otherwise unasked.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "rig_command.hpp"

namespace tactus::test::pace_test {
namespace {

namespace fs = std::filesystem;

/// A rig of three lines and what is added to them; nothing in it can be late enough to end it.
const std::string kRig =
    "rig: pace\n"
    "frame: { period: 1 ms }\n"
    "until: 5 ms\n"
    "memory: { lock: no, heap: 0 B }\n"
    "threads: { main: { policy: other }, stuck_after: 30 s }\n";
const std::string kOutput =
    "models:\n  drive: { driver: tape, file: tape, safe: -42, parameters: { value: 7 } }\n";

/// The command, also where the rig says nothing of real time: that is what is tried here.
Command command(const TempDir& dir, const Arguments& arguments) {
  Command made = tactus({"run", "--help"}, dir.path());
  made.argv = Arguments{TACTUS_COMMAND} + arguments;
  made.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  return made;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Pace {
  const char* name;
  const char* section;
  Arguments arguments;
  bool paced;
  const char* says;  ///< in the first and the last line, the log and the report
};
void PrintTo(const Pace& row, std::ostream* out) { *out << row.name; }

class RunPace : public ::testing::TestWithParam<Pace> {};

TEST_P(RunPace, IsSaidByTheFirstLineTheLastTheLogTheSummaryAndTheReport) {
  const Pace& row = GetParam();
  const TempDir dir;
  dir.write("rig.yaml", kRig + row.section);
  const Finished done = run(
      command(dir, Arguments{"run", "rig.yaml", "--out", "out", "--report", "report.txt"} + row.arguments));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_TRUE(holds(done.out, std::string("pace: 5 frames of 1.00 ms, ") + row.says)) << done;
  EXPECT_TRUE(holds(done.out, row.paced ? "completed after 5 frames in real time, late p50 "
                                        : std::string("completed after 5 frames, ") + row.says))
      << done;
  const Json rt = summary_of(dir / "out")["rt"];
  EXPECT_EQ(rt["realtime"], row.paced);
  EXPECT_EQ(rt.contains("why_not_realtime"), !row.paced) << rt;
  EXPECT_TRUE(holds(read_file(dir / "out/log.txt"), std::string("rig pace, ") + row.says));
  EXPECT_TRUE(holds(read_file(dir / "report.txt"), row.says)) << read_file(dir / "report.txt");
}

INSTANTIATE_TEST_SUITE_P(
    Of, RunPace,
    ::testing::Values(
        Pace{"a_file_without_a_word", "", {}, true, "real time"},
        Pace{"limits_alone", "realtime: { max_overrun: 100 s, sleeper: nanosleep }\n", {}, true, "real time"},
        Pace{"enabled_no",
             "realtime: { enabled: no }\n",
             {},
             false,
             "not in real time (realtime.enabled: no)"},
        Pace{"the_option", "", {"--no-realtime"}, false, "not in real time (--no-realtime)"}),
    [](const auto& one) { return one.param.name; });

TEST(Pace, AFileThatDrivesRealOutputsAsFastAsItCanIsRefused) {
  const TempDir dir;
  dir.write("rig.yaml", kRig + "realtime: { enabled: no }\n" + kOutput);
  for (const Arguments& arguments : {Arguments{"check", "rig.yaml"}, Arguments{"run", "rig.yaml"},
                                     Arguments{"run", "rig.yaml", "--no-realtime", "--drive-outputs"}}) {
    const Finished done = run(command(dir, arguments));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_TRUE(holds(done.err, "rig.yaml:6:22: realtime.enabled: no: the rig drives real outputs")) << done;
    EXPECT_TRUE(holds(done.err, "write yes, or remove the key")) << done;
    EXPECT_FALSE(fs::exists(dir / "runs"));
    EXPECT_FALSE(fs::exists(dir / "tape"));
  }
}

TEST(Pace, RealOutputsWithoutRealTimeAreAskedForByHandEachTime) {
  const TempDir dir;
  dir.write("rig.yaml", kRig + kOutput);
  for (const char* const verb : {"run", "calibrate"}) {
    const Finished refused = run(command(dir, {verb, "rig.yaml", "--no-realtime"}));
    EXPECT_EQ(refused.status, 2) << refused;
    EXPECT_TRUE(holds(refused.err, "--no-realtime:1:1: --drive-outputs: the rig drives real outputs"))
        << refused;
    EXPECT_TRUE(holds(refused.err, "or add --drive-outputs if that is wanted in this run")) << refused;
    EXPECT_FALSE(fs::exists(dir / "runs"));
    EXPECT_FALSE(fs::exists(dir / "tape"));
  }
  const Finished done =
      run(command(dir, {"run", "rig.yaml", "--no-realtime", "--drive-outputs", "--out", "out"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(holds(done.err, "outputs driven as fast as frames run")) << done;
  EXPECT_TRUE(fs::exists(dir / "tape"));
}

TEST(Pace, ALinkThatOthersPaceDrivesNoRealOutputsUnasked) {
  if (!TACTUS_WITH_LINK) GTEST_SKIP() << "this build has no link";
  const TempDir dir;
  dir.write("rig.yaml", kRig + kOutput + "link: { mode: follow, start_timeout: 1 s }\n");
  const Finished refused = run(command(dir, {"run", "rig.yaml"}));
  EXPECT_EQ(refused.status, 2) << refused;
  EXPECT_TRUE(
      holds(refused.err,
            "link.mode: follow:1:1: --drive-outputs: the rig drives real outputs, and would do so as fast "
            "as its frames run; set link.mode: paced on a bench, or add --drive-outputs if that is wanted "
            "in this run"))
      << refused;
  EXPECT_FALSE(fs::exists(dir / "runs"));
  EXPECT_FALSE(fs::exists(dir / "tape"));
  const Finished asked = run(command(dir, {"run", "rig.yaml", "--drive-outputs", "--out", "out"}));
  EXPECT_NE(asked.status, 2) << "it waits for others, of which there are none; " << asked;
  EXPECT_FALSE(holds(asked.err, "add --drive-outputs")) << asked;
}

TEST(Pace, CheckNamesWhatChangedForARigOfBefore) {
  const TempDir dir;
  const std::string note = "realtime.enabled is not set, so the rig runs in real time";
  for (const char* const section : {"", "realtime: { max_overrun: 1 s }\n"}) {
    dir.write("rig.yaml", kRig + section);
    const Finished done = run(tactus({"check", "rig.yaml"}, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_TRUE(holds(done.out, note)) << done;
    EXPECT_TRUE(holds(done.out, "rig pace: frame 1.00 ms, real time\n")) << done;
  }
  for (const char* const section : {"realtime: { enabled: yes }\n", "realtime: { enabled: no }\n"}) {
    dir.write("rig.yaml", kRig + section);
    EXPECT_FALSE(holds(run(tactus({"check", "rig.yaml"}, dir.path())).out, note)) << section;
  }
}

TEST(Pace, NoTestRunsARigThatSaysNothing) {
  const TempDir dir;
  dir.write("rig.yaml", kRig);
  EXPECT_THROW((void)tactus({"run", "rig.yaml"}, dir.path()), std::logic_error);
  EXPECT_NO_THROW((void)tactus({"run", "rig.yaml", "--no-realtime"}, dir.path()));
  dir.write("rig.yaml", kRig + "realtime: { enabled: no }\n");
  EXPECT_NO_THROW((void)tactus({"run", "rig.yaml"}, dir.path()));
}

}  // namespace
}  // namespace tactus::test::pace_test
