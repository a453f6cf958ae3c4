// SPDX-License-Identifier: Apache-2.0
/// What a person may type wrongly, and what the machine may refuse: nothing is started, and the message says
/// what to do instead.
#include <sys/mount.h>
#include <unistd.h>

#include <regex>

#include "in_process.hpp"
#include "rig_command.hpp"

namespace tactus::test::command_line_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(CommandLine, HelpAndVersion) {
  const TempDir dir;
  const Finished help = run(tactus({"--help"}, dir.path()));
  EXPECT_EQ(help.status, 0) << help;
  for (const char* word : {"run", "check", "doctor", "Exit status"})
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  const Finished run_help = run(tactus({"run", "--help"}, dir.path()));
  EXPECT_EQ(run_help.status, 0) << run_help;
  for (const char* option : {"--until", "--frames", "--no-realtime", "--set", "--out", "--quiet"})
    EXPECT_NE(run_help.out.find(option), std::string::npos) << option;
  const Finished version = run(tactus({"--version"}, dir.path()));
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(std::regex_match(
      version.out, std::regex("tactus \\d+\\.\\d+\\.\\d+ \\((no commit|commit [0-9a-f]{12,40}(-dirty)?), "
                              "(Debug|Release|RelWithDebInfo|MinSizeRel|no build type), "
                              "(GCC|Clang) \\d+\\.[^\n]*\\)\n")))
      << version;
}

TEST(CommandLine, CommandsThatAreDriversListThemselves) {
  const TempDir dir;
  (void)dir.write("drivers/libtactus-command-broken.so", "no library");
  (void)dir.write("drivers/tactus-command-sundial.left-out", "it needs a sun; wait for one\n");
  const auto said = [&](const Arguments& arguments) {
    Command command = tactus(arguments, dir.path());
    command.env["TACTUS_PLUGIN_PATH"] = (dir / "drivers").string();
    command.env["LD_DEBUG"] = "files";  // each library that is loaded, on stderr
    return run(command);
  };
  const Finished help = said({"--help"});
  EXPECT_EQ(help.status, 0) << help;
  const std::string listed = std::regex_replace(help.out, std::regex("\\s+"), " ");  // without line breaks
  EXPECT_NE(help.out.find("  broken "), std::string::npos) << help;
  EXPECT_NE(listed.find("is not a library (not an ELF file)"), std::string::npos)
      << "why it cannot be loaded: " << help;
  const Finished broken = said({"broken"});
  EXPECT_EQ(broken.status, 3) << broken;
  EXPECT_NE(broken.err.find("tactus: "), std::string::npos) << broken;
  const Finished sundial = said({"sundial"});
  EXPECT_EQ(sundial.status, 3) << sundial;
  EXPECT_NE(sundial.err.find("it was not built: it needs a sun; wait for one"), std::string::npos) << sundial;
  const Finished wrong = said({"brokn"});
  EXPECT_EQ(wrong.status, 2) << wrong;
  EXPECT_NE(wrong.err.find("there is no command 'brokn'; did you mean 'broken'?"), std::string::npos)
      << wrong;
  const Finished ran = said({"run", example("servo"), "--no-realtime", "--frames", "1", "--out", "out"});
  EXPECT_EQ(ran.status, 0) << ran;
  EXPECT_NE(ran.err.find("tactus-record-csv"), std::string::npos) << "what it needs";
  EXPECT_EQ(ran.err.find("tactus-command-"), std::string::npos) << ran;
#ifdef TACTUS_FAKE_SILKIT
  EXPECT_NE(listed.find("monitor show the states of a SIL Kit simulation"), std::string::npos) << help;
  const Finished registry = said({"registry", "--help"});
  EXPECT_EQ(registry.status, 0) << registry;
  EXPECT_NE(registry.out.find("--generate-configuration"), std::string::npos) << registry;
  EXPECT_NE(registry.err.find("tactus-command-registry"), std::string::npos) << registry;
  EXPECT_EQ(registry.err.find("tactus-command-monitor"), std::string::npos) << "not named: " << registry;
#endif
}

/// Words that the shell is offered after these.
std::vector<std::string> offered(Arguments words) {
  words.insert(words.begin(), {"help", "--complete", "--"});
  const TempDir dir;
  std::istringstream rows(run_in_process(tactus(words, dir.path())).out);
  std::vector<std::string> all;
  for (std::string row; std::getline(rows, row);)
    if (const auto tab = row.find('\t'); tab != std::string::npos) all.push_back(row.substr(0, tab));
  return all;
}

TEST(CommandLine, NamesTheOptionThatWasMeantForEachOptionOfEachCommand) {
  const TempDir dir;
  for (const std::string& command : offered({""})) {
    const std::vector<std::string> options = offered({command, "--"});
    ASSERT_FALSE(options.empty()) << command;
    for (const std::string& option : options) {
      Arguments words{command, option + "x", "there"};
      if (option == options.back()) std::swap(words[0], words[1]);  // in front of the command
      const Finished done = run_in_process(tactus(words, dir.path()));
      EXPECT_EQ(done.status, 2) << command << ' ' << option << '\n' << done;
      EXPECT_NE(done.err.find("there is no option '" + option + "x'; did you mean '" + option + "'?"),
                std::string::npos)
          << command << ' ' << option << '\n'
          << done;
    }
  }
}

struct Wrong {
  const char* name;
  Arguments arguments;
  const char* says;  ///< somewhere in stderr
};
void PrintTo(const Wrong& row, std::ostream* out) { *out << row.name; }

class WrongCommandLine : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCommandLine, IsStatus2AndStartsNothing) {
  const TempDir dir;
  (void)dir.write("full/notes.txt", "mine");
  const Finished done = run_in_process(tactus(GetParam().arguments, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_EQ(done.out, "") << done;
  EXPECT_NE(done.err.find(GetParam().says), std::string::npos) << done;
  EXPECT_FALSE(fs::exists(dir / "runs"));
  EXPECT_FALSE(fs::exists(dir / "out"));
  EXPECT_EQ(read_file(dir / "full/notes.txt"), "mine");
}

const std::string kServo = example("servo");
INSTANTIATE_TEST_SUITE_P(
    All, WrongCommandLine,
    ::testing::Values(
        Wrong{"an_option_with_a_slip", {"run", kServo, "--sett", "until=1 s"}, "did you mean '--set'?"},
        Wrong{"an_option_of_a_command_with_a_slip", {"report", "there", "--txt"}, "did you mean '--text'?"},

        Wrong{"an_option_that_no_option_is_like",
              {"report", "there", "--compar"},
              "there is no option '--compar'; known are '--to', '--text', '--plot', '--fail-if', '--help', "},
        Wrong{
            "an_option_before_the_command", {"--colour", "always", "run", kServo}, "did you mean '--color'?"},
        Wrong{"an_option_before_its_command",
              {"--set", "until=1 s", "run", kServo},
              "the option '--set' must come after its command"},
        Wrong{"set_a_parameter_by_its_variable",
              {"run", kServo, "--set", "motor.resistence=1 Ohm", "--out", "out"},
              "no path of a rig file; did you mean 'models.motor.parameters.resistance'?"},
        Wrong{"set_a_parameter_that_the_file_leaves_out",
              {"run", kServo, "--set", "moter.voltge=1", "--out", "out"},
              "did you mean 'models.motor.parameters.voltage'?"},
        Wrong{"set_a_key_without_its_section",
              {"run", kServo, "--set", "on_overun=skip", "--out", "out"},
              "did you mean 'realtime.on_overrun'?"},
        Wrong{"set_what_is_like_nothing",
              {"run", kServo, "--set", "zzzzzz=1", "--out", "out"},
              "zzzzzz: unknown key; known are 'rig', 'frame'"},

        Wrong{"nothing", {}, "subcommand"},
        Wrong{"unknown_command", {"rum", kServo}, "there is no command 'rum'; did you mean 'run'?"},
        Wrong{"no_rig", {"run"}, "RIG"}, Wrong{"check_without_rig", {"check"}, "RIG"},
        Wrong{"unknown_option", {"run", kServo, "--fast", "--out", "out"}, "--fast"},
        Wrong{"two_rigs", {"run", kServo, kServo, "--out", "out"}, "not expected"},
        Wrong{"missing_file", {"run", "nowhere.yaml", "--out", "out"}, "nowhere.yaml:1:1: cannot be opened"},
        Wrong{"a_folder", {"run", "full", "--out", "out"}, "is a directory"},
        Wrong{"a_device", {"run", "/dev/zero", "--out", "out"}, "only regular files"},
        Wrong{"until_without_unit", {"run", kServo, "--until", "10", "--out", "out"}, "has no unit"},
        Wrong{"until_zero", {"run", kServo, "--until", "0s", "--out", "out"}, "at least 1 ns"},
        Wrong{"until_negative", {"run", kServo, "--until", "-1s", "--out", "out"}, "at least 1 ns"},
        Wrong{"until_of_another_kind", {"run", kServo, "--until", "3 V", "--out", "out"}, "until"},
        Wrong{"until_and_frames",
              {"run", kServo, "--until", "1s", "--frames", "1", "--out", "out"},
              "excludes"},
        Wrong{"no_frames", {"run", kServo, "--frames", "0", "--out", "out"}, "--frames"},
        Wrong{"frames_negative", {"run", kServo, "--frames", "-5", "--out", "out"}, "--frames"},
        Wrong{"frames_not_whole", {"run", kServo, "--frames", "1.5", "--out", "out"}, "--frames"},
        Wrong{"frames_beyond_64_bits",
              {"run", kServo, "--frames", "99999999999999999999", "--out", "out"},
              "'99999999999999999999' is too large for a whole number (64 bits); a whole number of frames is "
              "expected, from 1 on"},
        Wrong{
            "frames_beyond_all_time",
            {"run", kServo, "--frames", "9223372036854", "--set", "frame.period=2 ms", "--out", "out"},
            "9223372036854 frames of this rig are longer than 9223372036.854775807 s, the longest simulated "
            "time there is; at most 4611686018427 are allowed"},
        Wrong{"until_beyond_all_time",
              {"run", kServo, "--set", "until=9e18 s", "--out", "out"},
              "'9e18 s' is longer than 9223372036.854775807 s, the longest time there is; write 'for ever' "
              "for no limit; also allowed: 'stopped'"},
        Wrong{"until_option_beyond_all_time",
              {"run", kServo, "--until", "9e18 s", "--out", "out"},
              "'9e18 s' is longer than 9223372036.854775807 s"},
        Wrong{"frames_with_unit", {"run", kServo, "--frames", "10s", "--out", "out"}, "--frames"},
        Wrong{"set_without_value", {"run", kServo, "--set", "until", "--out", "out"}, "expected path=value"},
        Wrong{"set_nothing", {"run", kServo, "--set", "=1 s", "--out", "out"}, "expected path=value"},
        Wrong{"set_unknown",
              {"run", kServo, "--set", "realtime.on_overun=skip", "--out", "out"},
              "unknown key; did you mean 'on_overrun'?"},
        Wrong{"set_bad_value",
              {"run", kServo, "--set", "realtime.on_overrun=skp", "--out", "out"},
              "did you mean 'skip'?"},
        Wrong{"set_unknown_parameter",
              {"run", kServo, "--set", "models.motor.parameters.resistence=1 Ohm", "--out", "out"},
              "did you mean 'resistance'?"},
        Wrong{"set_wrong_unit",
              {"run", kServo, "--set", "models.motor.parameters.resistance=1 V", "--out", "out"},
              "models.motor.parameters.resistance"},
        Wrong{"out_not_empty", {"run", kServo, "--out", "full"}, "not empty"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(CommandLine, UntilWithoutUnitSaysHowToWriteIt) {
  const TempDir dir;
  const Finished done = run(tactus({"run", kServo, "--until", "10"}, dir.path()));
  EXPECT_TRUE(
      std::regex_search(done.err, std::regex("until: '10' has no unit; write for example --until 10s")))
      << done;
}

TEST(CommandLine, AFolderThatCannotBeMadeIsTheMachinesFault) {
  const TempDir dir;
  for (const char* out : {"/proc/tactus", "/dev/null", "/dev/null/run"}) {
    const Finished done =
        run(tactus({"run", kServo, "--no-realtime", "--frames", "1", "--out", out}, dir.path()));
    EXPECT_EQ(done.status, 3) << done;
    EXPECT_NE(done.err.find("--out"), std::string::npos) << done;
  }
}

TEST(CommandLine, AnExistingEmptyFolderAndANestedOneAreGoodPlaces) {
  const TempDir dir;
  fs::create_directory(dir / "empty");
  for (const char* out : {"empty", "a/b/c"}) {
    const Finished done =
        run(tactus({"run", kServo, "--no-realtime", "--frames", "1", "--out", out}, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_TRUE(fs::exists(dir / out / "summary.json"));
  }
}

// --- what the machine refuses

TEST(Machine, ACpuThatDoesNotExistIsReplacedAndSaid) {
  const TempDir dir;
  const Finished done = run(
      run_rig("servo", {"--frames", "20", "--set", "threads.main.cpus=[1000]", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find("CPUs 1000 for thread main"), std::string::npos) << done;
  EXPECT_NE(done.err.find("set threads.main.cpus to some of"), std::string::npos) << done;
  EXPECT_NE(summary_of(dir / "out")["rt"]["refused"].dump().find("CPUs 1000"), std::string::npos);
}

TEST(Machine, ACpuThatDoesNotExistIsStatus3WhereItIsRequired) {
  const TempDir dir;
  const Finished done = run(run_rig(
      "servo",
      {"--frames", "20", "--set", "threads.main.cpus=[1000]", "--set", "privileges=require", "--out", "out"},
      dir.path()));
  EXPECT_EQ(done.status, 3) << done;
  EXPECT_EQ(done.out, "") << done;
  EXPECT_NE(done.err.find("CPUs 1000 for thread main"), std::string::npos) << done;
}

TEST(Machine, APrivilegeThatIsRequiredAndRefusedIsStatus3AndStartsNothing) {
  const TempDir dir;
  const std::string file = dir.write(
      "need.yaml",
      "rig: need\nframe: { period: 1 ms }\nuntil: 1 s\nprivileges: require\nrealtime: { enabled: yes }\n"
      "models: { h: { model: hang, library: " TACTUS_HANG_LIBRARY " } }\n");
  std::string why;
  const auto command = without_privileges(tactus({"run", file, "--out", "out"}, dir.path()), dir, why);
  if (!command) GTEST_SKIP() << why;
  const Finished done = run(*command);
  if (done.status == 0) GTEST_SKIP() << "real-time scheduling is granted to everybody here";
  EXPECT_EQ(done.status, 3) << done;
  EXPECT_EQ(done.out, "") << done;
  EXPECT_NE(done.err.find("SCHED_FIFO priority 80: refused"), std::string::npos) << done;
  EXPECT_NE(done.err.find("RLIMIT_RTPRIO"), std::string::npos) << "the cause: " << done;
  EXPECT_NE(done.err.find("fix: "), std::string::npos) << "the fix: " << done;
  EXPECT_FALSE(fs::exists(dir / "initialized")) << "no job of a model may have run";
  // Nothing was started, so nothing is left, and the same command works once the fix is applied.
  EXPECT_TRUE(!fs::exists(dir / "out") || fs::is_empty(dir / "out"));
}

TEST(Machine, AUserWithoutPrivilegesGetsAWarningAndTheSameNumbers) {
  const TempDir dir;
  std::string why;
  const auto command =
      without_privileges(run_rig("servo", {"--frames", "200", "--out", "out"}, dir.path()), dir, why);
  if (!command) GTEST_SKIP() << why;
  const Finished done = run(*command);
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  if (summary["rt"]["policy"] != "SCHED_FIFO") {
    EXPECT_NE(done.err.find("warning: this user is not given "), std::string::npos) << done;
    EXPECT_EQ(done.err.find("SCHED_FIFO priority 80: refused"), std::string::npos) << "in the log: " << done;
    EXPECT_NE(read_file(dir / "out/log.txt").find("SCHED_FIFO priority 80: refused"), std::string::npos);
    EXPECT_EQ(summary["rt"]["policy"], "SCHED_OTHER");
    EXPECT_EQ(summary["rt"]["priority"], 0);
  }
  const std::string refused = summary["rt"]["refused"].dump();
  EXPECT_EQ(summary["rt"]["memory_locked"],
            !kSanitized && refused.find("all memory locked") == std::string::npos)
      << refused;
  ASSERT_EQ(run(run_rig("servo", {"--frames", "200", "--no-realtime", "--out", "fast"}, dir.path())).status,
            0);
  EXPECT_EQ(read_file(dir / "out/motion.csv"), read_file(dir / "fast/motion.csv"));
}

TEST(Machine, WithoutRealTimeNothingIsRequired) {
  const TempDir dir;
  std::string why;
  const auto command = without_privileges(
      tactus({"run", kServo, "--no-realtime", "--frames", "5", "--set", "privileges=require", "--out", "out"},
             dir.path()),
      dir, why);
  if (!command) GTEST_SKIP() << why;
  EXPECT_EQ(run(*command).status, 0);
}

TEST(Machine, OneCpuForEverythingIsSaid) {
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "100", "--out", "out"}, dir.path());
  command.argv = Arguments{"taskset", "-c", "0"} + command.argv;
  const Finished done = run(command);
  if (done.status != 0 && done.err.find("taskset: ") != std::string::npos) GTEST_SKIP() << done.err;
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find("a CPU for the helpers"), std::string::npos) << done;
}

TEST(MachineNightly, SpinningThatTheKernelWouldStopIsWarnedOf) {
  const TempDir dir;
  const Finished done =
      run(run_rig("servo", {"--frames", "50", "--set", "realtime.sleeper=spin", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  Json rt = summary_of(dir / "out")["rt"];
  if (rt["policy"] != "SCHED_FIFO") GTEST_SKIP() << "no SCHED_FIFO here, so nothing throttles it";
  if (rt["refused"].dump().find("sched_rt_runtime_us") == std::string::npos)
    GTEST_SKIP() << "real-time throttling is off on this machine";
  EXPECT_NE(done.err.find("sched_rt_runtime_us"), std::string::npos) << done;
}

// --- disks that are full

/// The rig has run to its end, says what is missing, and what is there can be read.
void expect_loss_is_said(const Finished& done, const fs::path& folder, int frames) {
  const Table motion = read_table(folder / "motion.csv");
  EXPECT_LT(motion.rows.size(), static_cast<std::size_t>(frames));
  EXPECT_NE(done.out.find("completed after " + std::to_string(frames) + " frames"), std::string::npos)
      << done;
  EXPECT_NE(done.out.find("records lost"), std::string::npos) << done;
}

TEST(FullDisk, OutputThatIsNotWholeIsNoSuccess) {
  const TempDir dir;
  const std::string program = tactus({"ps"}, dir.path()).argv.front();
  for (const char* const arguments : {"help", "help --completion bash", "ps", "check --units"}) {
    const Finished full = run(
        {.argv = {"sh", "-c", "exec '" + program + "' " + arguments + " > /dev/full"}, .cwd = dir.path()});
    EXPECT_EQ(full.status, 1) << arguments << full;
    EXPECT_NE(full.err.find("stdout: cannot be written"), std::string::npos) << full;
  }
  const Finished pipe =
      run({.argv = {"bash", "-c", "set -o pipefail; trap '' PIPE; '" + program + "' check --units | true"},
           .cwd = dir.path()});
  EXPECT_EQ(pipe.status, 0) << "nobody wanted more: " << pipe;
}

TEST(FullDisk, AFileThatMustNotGrowEndsNoRig) {
  if (kThreadSanitized) GTEST_SKIP() << "the limit hits the sanitizer's own memory";
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "2000", "--out", "out"}, dir.path());
  command.argv = Arguments{"prlimit", "--fsize=65536:65536"} + command.argv;
  const Finished done = run(command);
  EXPECT_EQ(done.signal, 0) << done;
  EXPECT_EQ(done.status, 1) << "a recording is not whole: " << done;
  expect_loss_is_said(done, dir / "out", 2000);
  Json summary = summary_of(dir / "out");
  Json motion = summary["recordings"][0];
  EXPECT_EQ(motion["name"], "motion");
  EXPECT_GT(motion["lost"], 0);
  EXPECT_EQ(motion["written"].get<int>() + motion["lost"].get<int>(), 2000);
  EXPECT_NE(motion["error"].get<std::string>().find("File too large"), std::string::npos);
  EXPECT_NE(read_file(dir / "out/log.txt").find("records lost"), std::string::npos);
}

TEST(FullDisk, NotEvenWhenNothingFits) {
  const TempDir dir;
  Command command = run_rig("servo", {"--frames", "100", "--out", "out"}, dir.path());
  command.argv = Arguments{"prlimit", "--fsize=1024:1024"} + command.argv;
  const Finished done = run(command);
  EXPECT_EQ(done.signal, 0) << done;
  EXPECT_NE(done.status, 0) << done;  // the run folder is not what was promised
  EXPECT_NE(done.err.find("File too large"), std::string::npos) << done;
}

TEST(FullDiskNightly, TheRigRunsOnAndTheLossIsSaid) {
  if (!is_root()) GTEST_SKIP() << "mounting a tiny file system takes root";
  struct Mount {
    explicit Mount(const fs::path& at) : place(at) {
      fs::create_directory(place);
      good = ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=200k") == 0;
    }
    ~Mount() {
      if (good) (void)::umount2(place.c_str(), MNT_DETACH);
    }
    fs::path place;
    bool good = false;
  };
  const TempDir dir;
  const Mount tiny(dir / "tiny");
  if (!tiny.good) GTEST_SKIP() << "no tmpfs can be mounted here";
  const Finished done = run(run_rig("servo", {"--frames", "3000", "--out", "tiny/out"}, dir.path()));
  expect_loss_is_said(done, dir / "tiny/out", 3000);
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "tiny/out");  // room for it was kept
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_NE(summary["reason"].get<std::string>().find("records lost: no space left on device"),
            std::string::npos);
}

TEST(FullDiskNightly, WithoutRealTimeItDoesNotWaitForEver) {
  const TempDir dir;
  Command command = run_rig("servo", {"--until", "100 s", "--no-realtime", "--out", "out"}, dir.path());
  command.argv = Arguments{"prlimit", "--fsize=65536:65536"} + command.argv;
  const Finished done = run(command);
  EXPECT_EQ(done.status, 1) << done;
  expect_loss_is_said(done, dir / "out", 100'000);
}

}  // namespace
}  // namespace tactus::test::command_line_test
