// SPDX-License-Identifier: Apache-2.0
/// Checkpoints of the whole program: taken by time, by order, by signal and at the end; continued from;
/// refused; and whole whatever happens to the process or to the disk.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "rig_command.hpp"

namespace tactus::test::checkpoint_run_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// CRC-64/XZ, one bit at a time: as the standard has it, not as tactus does.
std::uint64_t crc64(std::string_view bytes) {
  std::uint64_t crc = ~std::uint64_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xC96C5795D7870F42 : 0);
  }
  return ~crc;
}

/// Reads a checkpoint as docs/checkpoint-file.md says. Throws std::runtime_error for one that is not whole.
Json header_of(const fs::path& file) {
  const std::string raw = read_file(file);
  std::uint32_t header = 0;
  std::uint64_t data = 0;
  std::uint64_t crc = 0;
  if (raw.size() < 32 || !raw.starts_with("tactusCK")) throw std::runtime_error(file.string() + ": foreign");
  std::memcpy(&header, raw.data() + 12, sizeof header);
  std::memcpy(&data, raw.data() + 16, sizeof data);
  if (raw.size() != 32 + header + data) throw std::runtime_error(file.string() + ": cut off");
  std::memcpy(&crc, raw.data() + raw.size() - 8, sizeof crc);
  if (crc != crc64(std::string_view(raw).substr(0, raw.size() - 8)))
    throw std::runtime_error(file.string() + ": damaged");
  return Json::parse(raw.substr(24, header));
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".tck") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Waits for a checkpoint in the folder.
bool appears(const fs::path& folder) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (checkpoints_in(folder).empty()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

std::string without_header(const std::string& table) { return table.substr(table.find('\n') + 1); }

const char* const kLoopRig = R"(
rig: loops
frame: { period: 1 ms }
until: 1 s
threads:
  main: { policy: other }
  workers: { side: { policy: other, kind: asynchronous_must_finish, period: 3 ms } }
memory: { lock: no, heap: 0 B }
models:
  a: { model: fault_loop, library: test_load, parameters: { position: 1 m, rate: 30 1/s } }
  b: { model: fault_loop, library: test_load, thread: side, parameters: { rate: 20 1/s } }
connect:
  - { from: a.position, to: b.pull, delayed: yes }
  - { from: b.position, to: a.pull, delayed: yes }
integrate:
  fast: { models: [a], method: dopri5 }
  slow: { models: [b], method: rk4, cycle: 1 ms }
record: { both: { variables: [a.position, b.position, a.speed] } }
)";

struct Example {
  const char* rig;
  const char* recording;
  std::int64_t frames;
  const char* every;
};
void PrintTo(const Example& row, std::ostream* out) { *out << row.rig; }

class Checkpoints : public ::testing::TestWithParam<Example> {
 protected:
  /// A run that is as fast as it can.
  Finished run_to(std::int64_t frames, const std::string& out, const Arguments& more = {}) {
    const std::string file = std::string(GetParam().rig) == "loops"
                                 ? dir_.write("loops.yaml", kLoopRig).string()
                                 : example(GetParam().rig);
    return run(
        tactus(Arguments{"run", file, "--no-realtime", "--frames", std::to_string(frames), "--out", out} +
                   patient() + more,
               dir_.path()));
  }
  std::string recording(const std::string& out) { return read_file(dir_ / out / GetParam().recording); }

  TempDir dir_;
};
INSTANTIATE_TEST_SUITE_P(All, Checkpoints,
                         ::testing::Values(Example{"servo", "motion.csv", 2000, "300 ms"},
                                           Example{"vehicle", "drive.csv", 3000, "7 s"},
                                           kSanitized ? Example{"threads", "drive.csv", 800, "2 s"}
                                                      : Example{"threads", "drive.csv", 3000, "7 s"},
                                           Example{"loops", "both.csv", 600, "120 ms"}),
                         [](const auto& one) {
                           const std::string rig = one.param.rig;
                           return rig == "threads" ? rig : rig + "_Nightly";
                         });

TEST_P(Checkpoints, ARunThatGoesOnFromOneIsTheSameToTheByte) {
  const std::int64_t frames = GetParam().frames;
  Finished done = run_to(2 * frames, "long");
  ASSERT_EQ(done.status, 0) << done;
  const std::string all = without_header(recording("long"));
  done =
      run_to(frames, "whole",
             {"--set", std::string("checkpoint.every=") + GetParam().every, "--set", "checkpoint.at_end=yes",
              "--set", "commands=[{ at: 100 ms, do: checkpoint, file: asked.tck }]"});
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(without_header(recording("whole")), all.substr(0, without_header(recording("whole")).size()))
      << "that they were taken shows";
  const std::vector<fs::path> files = checkpoints_in(dir_ / "whole/checkpoints");
  ASSERT_GE(files.size(), 3U) << "by time, by order, and at the end" << done;
  EXPECT_TRUE(fs::exists(dir_ / "whole/checkpoints/asked.tck"));
  EXPECT_TRUE(fs::exists(dir_ / "whole/checkpoints/end.tck"));
  const Json summary = summary_of(dir_ / "whole");
  EXPECT_EQ(summary["checkpoints"]["written"].size(), files.size()) << summary["checkpoints"];
  // Frames as fast as they can be may end before the writer comes to the last that was asked for.
  EXPECT_LE(summary["checkpoints"]["failed"], 1) << read_file(dir_ / "whole/log.txt");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const std::int64_t next = header_of(file)["frame"].get<std::int64_t>() + 1;
    const std::string out = "from " + file.filename().string();
    done = run_to(2 * frames, out, {"--from", file.string()});
    ASSERT_EQ(done.status, 0) << done;
    const std::string rest = without_header(recording(out));
    ASSERT_FALSE(rest.empty());
    EXPECT_TRUE(all.ends_with(rest));
    EXPECT_EQ(summary_of(dir_ / out)["frames"]["run"], 2 * frames - next);
    EXPECT_EQ(summary_of(dir_ / out)["from"]["frame"], next);
    EXPECT_EQ(summary_of(dir_ / out)["sim_time_ns"], summary_of(dir_ / "long")["sim_time_ns"]);
    // The first row is the first that the whole run has from there on.
    const double time = std::stod(rest);
    const double at = static_cast<double>(next) * 1e-9 * summary_of(dir_ / out)["period_ns"].get<double>();
    EXPECT_GE(time, at - 1e-9);
    const auto begins = all.size() - rest.size();
    if (begins > 0) {
      const auto line =
          all.rfind('\n', begins - 2) == std::string::npos ? 0 : all.rfind('\n', begins - 2) + 1;
      EXPECT_LT(std::stod(all.substr(line)), at - 1e-9) << "a row is missing";
    }
  }
}

TEST(Checkpoint, ACommandAtItsVeryTimeIsGivenOnce) {
  const TempDir dir;
  const std::string disable = "{ at: 100 ms, do: disable, job: trajectory.step }";
  const auto run_with = [&](const std::string& commands, const std::string& out, const Arguments& more = {}) {
    return run(run_rig(
        "servo",
        Arguments{"--no-realtime", "--frames", "200", "--out", out, "--set", "commands=[" + commands + "]"} +
            more,
        dir.path()));
  };
  const std::string all = disable + ", { at: 100 ms, do: checkpoint, file: c.tck }, { at: 100 ms, do: stop }";
  Finished done = run_with(disable, "whole");
  ASSERT_EQ(done.status, 0) << done;
  done = run_with(all, "first");
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_EQ(summary_of(dir / "first")["frames"]["run"], 100);

  done = run_with(all, "second", {"--from", "first/checkpoints/c.tck"});
  ASSERT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "second");
  EXPECT_EQ(summary["outcome"], "completed") << "it is not stopped again";
  EXPECT_EQ(summary["frames"]["run"], 100);
  EXPECT_TRUE(summary["checkpoints"]["written"].empty()) << "nor is the checkpoint taken again";
  EXPECT_TRUE(
      read_file(dir / "whole/motion.csv").ends_with(without_header(read_file(dir / "second/motion.csv"))))
      << "what the first run switched off at that time is off";
}

TEST(Checkpoint, ASignalAsksForOneAndTheRunGoesOn) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  std::this_thread::sleep_for(100ms);
  rig.signal(SIGRTMIN + 3);
  ASSERT_TRUE(appears(dir / "out/checkpoints")) << read_file(dir / "out/log.txt");
  const auto taken = header_of(checkpoints_in(dir / "out/checkpoints").at(0))["frame"].get<std::int64_t>();
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (std::ssize(read_table(dir / "out/frames.csv").rows) < taken + 20 &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(50ms);  // some frames more
  rig.signal(SIGINT);
  ASSERT_EQ(rig.wait().status, 0);
  const std::int64_t frames = summary_of(dir / "out")["frames"]["run"].get<std::int64_t>();
  const std::vector<fs::path> files = checkpoints_in(dir / "out/checkpoints");
  ASSERT_EQ(files.size(), 1U);
  ASSERT_LT(header_of(files[0])["frame"], frames - 1);
  const Finished again = run(run_rig(
      "servo",
      {"--no-realtime", "--frames", std::to_string(frames), "--from", files[0].string(), "--out", "rest"},
      dir.path()));
  ASSERT_EQ(again.status, 0) << again;
  const std::string rest = without_header(read_file(dir / "rest/motion.csv"));
  EXPECT_FALSE(rest.empty());
  EXPECT_TRUE(read_file(dir / "out/motion.csv").ends_with(rest));
}

TEST(CheckpointNightly, ASignalWhileFrozenTakesTheStateInWhichItStands) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  rig.signal(SIGUSR1);
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "paused after"));
  rig.signal(SIGRTMIN + 3);
  ASSERT_TRUE(appears(dir / "out/checkpoints")) << read_file(dir / "out/log.txt");
  rig.signal(SIGINT);
  ASSERT_EQ(rig.wait().status, 0);
  const std::vector<fs::path> files = checkpoints_in(dir / "out/checkpoints");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(header_of(files[0])["frame"], summary_of(dir / "out")["frames"]["run"].get<std::int64_t>() - 1);
}

TEST(CheckpointNightly, WithoutCheckpointsASignalIsAnsweredWithTheReason) {
  const TempDir dir;
  Command command = run_rig(
      "servo", {"--set", "checkpoint.enabled=no", "--set", "until=stopped", "--out", "out"}, dir.path());
  command.terminal = true;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  rig.signal(SIGRTMIN + 3);
  EXPECT_TRUE(rig.wait_for_output("no checkpoint: the rig file says checkpoint: { enabled: no }"))
      << rig.out();
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
}

// --- refused

/// A checkpoint of servo.yaml, and what becomes of a run from a file.
struct Refusals {
  TempDir dir;
  fs::path good = dir / "whole/checkpoints/end.tck";

  Refusals() {
    const Finished done = run(run_rig(
        "servo", {"--no-realtime", "--frames", "50", "--set", "checkpoint.at_end=yes", "--out", "whole"},
        dir.path()));
    EXPECT_EQ(done.status, 0) << done;
  }
  /// Exit status 2 with the file and the reason on stderr, and nothing left behind.
  void refuse(const fs::path& file, const std::string& reason, const Arguments& more = {"--frames", "100"}) {
    SCOPED_TRACE(file.string() + ": " + reason);
    const Finished done = run(run_rig(
        "servo", Arguments{"--no-realtime", "--from", file.string(), "--out", "out"} + more, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find(file.string()), std::string::npos) << done;
    EXPECT_NE(done.err.find(reason), std::string::npos) << done;
    EXPECT_EQ(done.out, "");
    EXPECT_FALSE(fs::exists(dir / "out"));
  }
};

TEST(CheckpointNightly, AGoodOneIsNotRefused) {
  const Refusals test;
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--frames", "100", "--from", test.good.string(), "--out", "out"},
                  test.dir.path()));
  EXPECT_EQ(done.status, 0) << done;
}

TEST(Checkpoint, ADamagedOneIsRefused) {
  Refusals test;
  const std::string whole = read_file(test.good);
  std::mt19937 random(4711);
  for (int i = 0; i < 12; ++i) {
    std::string bytes = whole;
    const std::size_t at = 24 + random() % (bytes.size() - 24);
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ 1U << random() % 8);
    test.refuse(test.dir.write("damaged" + std::to_string(at) + ".tck", bytes),
                "is damaged: its checksum is wrong");
  }
}

TEST(CheckpointNightly, OneThatIsCutOffOrLongerIsRefused) {
  Refusals test;
  const std::string whole = read_file(test.good);
  for (const std::size_t length :
       {std::size_t{8}, std::size_t{23}, std::size_t{24}, whole.size() / 2, whole.size() - 1})
    test.refuse(test.dir.write("cut" + std::to_string(length) + ".tck", whole.substr(0, length)),
                "is cut off");
  test.refuse(test.dir.write("longer.tck", whole + "x"), "has 1 bytes too many");
}

TEST(CheckpointNightly, AForeignFileIsRefused) {
  Refusals test;
  test.refuse(test.dir.write("empty.tck", ""), "is cut off");
  test.refuse(test.dir.write("text.tck", "rig: servo\n"), "is not a checkpoint of tactus");
  test.refuse(test.dir / "none.tck", "No such file");
  test.refuse(test.dir / "whole", "is a folder");
  std::string newer = read_file(test.good);
  newer[8] = 2;
  test.refuse(test.dir.write("newer.tck", newer), "is of a newer tactus");
}

TEST(CheckpointNightly, OneOfAnotherRigIsRefusedWithEveryDifference) {
  Refusals test;
  const auto rig = [&](const std::string& model) {
    return test.dir
        .write(model + ".yaml",
               "rig: small\nframe: { period: 1 ms }\nuntil: 100 ms\nmemory: { lock: no, heap: 0 B }\n"
               "models: { " +
                   model + ": { model: dc_servo, library: servo } }\n")
        .string();
  };
  Finished done = run(tactus({"run", rig("left"), "--no-realtime", "--frames", "50", "--out", "left", "--set",
                              "checkpoint.at_end=yes"},
                             test.dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  done =
      run(tactus({"run", rig("right"), "--no-realtime", "--out", "out", "--from", "left/checkpoints/end.tck"},
                 test.dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("left.speed: in the checkpoint, but not in this rig"), std::string::npos) << done;
  EXPECT_NE(done.err.find("left.angle: in the checkpoint, but not in this rig"), std::string::npos) << done;
  EXPECT_NE(done.err.find("right.speed: in this rig, but not in the checkpoint"), std::string::npos) << done;
  EXPECT_FALSE(fs::exists(test.dir / "out"));
  test.refuse(test.good, "the frame is", {"--frames", "100", "--set", "frame.period=2 ms"});
}

TEST(CheckpointNightly, ItIsRefusedWhenTheRunWouldBeOverOrCheckpointsAreOff) {
  Refusals test;
  test.refuse(test.good, "at or after the end of this run", {"--frames", "50"});
  test.refuse(test.good, "enabled: no", {"--set", "checkpoint.enabled=no"});
}

TEST(CheckpointNightly, NoModelHasRunWhenOneIsRefused) {
  Refusals test;
  const std::string file =
      test.dir.write("hang.yaml",
                     "rig: hang\nframe: { period: 1 ms }\nuntil: 1 s\nmodels:\n  h: { model: hang, library: "
                     "" TACTUS_HANG_LIBRARY " }\n");
  const Finished done = run(tactus(
      {"run", file, "--no-realtime", "--from", test.good.string(), "--out", "made/by/us"}, test.dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_FALSE(fs::exists(test.dir / "initialized"));
  EXPECT_FALSE(fs::exists(test.dir / "shut-down"));
  EXPECT_FALSE(fs::exists(test.dir / "made/by/us"));
}

TEST(CheckpointNightly, AnOutFolderThatWasThereIsEmptyAgainWhenOneIsRefused) {
  Refusals test;
  fs::create_directory(test.dir / "out");
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--from", (test.dir / "none.tck").string(), "--out", "out"},
                  test.dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(fs::is_empty(test.dir / "out"));
}

// --- disks and folders

TEST(CheckpointNightly, AFolderThatCannotBeIsSaidAndTheRigGoesOn) {
  const TempDir dir;
  dir.write("file", "no folder");
  const Finished done = run(run_rig(
      "servo",
      {"--no-realtime", "--frames", "200", "--set", "checkpoint.every=50 ms", "--set",
       "checkpoint.at_end=yes", "--set", "checkpoint.folder=" + (dir / "file/sub").string(), "--out", "out"},
      dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_NE(done.err.find("file/sub"), std::string::npos) << done;
  EXPECT_EQ(summary_of(dir / "out")["frames"]["run"], 200);
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 200U);
  EXPECT_TRUE(summary_of(dir / "out")["checkpoints"]["written"].empty());
}

TEST(CheckpointNightly, AFolderThatMayNotBeWrittenIsSaidAndTheRigGoesOn) {
  const TempDir dir;
  fs::create_directory(dir / "closed");
  std::string why;
  const std::optional<Command> command =
      without_privileges(run_rig("servo",
                                 {"--no-realtime", "--frames", "200", "--set", "checkpoint.every=50 ms",
                                  "--set", "checkpoint.at_end=yes", "--set",
                                  "checkpoint.folder=" + (dir / "closed").string(), "--out", "out"},
                                 dir.path()),
                         dir, why);
  if (!command) GTEST_SKIP() << why;
  fs::permissions(dir / "closed", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
  const Finished done = run(*command);
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 200);
  EXPECT_GE(summary["checkpoints"]["failed"], 2);  // of the time, and of the end
  const std::string log = read_file(dir / "out/log.txt");
  EXPECT_NE(log.find("closed"), std::string::npos) << log;
  EXPECT_NE(log.find("Permission denied"), std::string::npos) << log;
  EXPECT_TRUE(fs::is_empty(dir / "closed"));
}

TEST(CheckpointNightly, AFullDiskIsSaidAndTheOldFileStays) {
  if (!is_root()) GTEST_SKIP() << "only root can mount a small disk";
  const TempDir dir;
  fs::create_directory(dir / "disk");
  Command mount;
  mount.argv = {"unshare", "--mount", "true"};
  if (run(mount).status != 0) GTEST_SKIP() << "this machine lets nobody mount a small disk";
  // The mount is the shell's own: nothing of it is left when the shell has ended.
  const auto in_small_disk = [&](const std::string& before) {
    Command command = tactus({}, dir.path());
    command.argv = {
        "unshare", "--mount", "bash", "-c",
        "mount -t tmpfs -o size=32k small disk || exit 77; " + before + "'" TACTUS_COMMAND "' run '" +
            example("servo") +
            "' --no-realtime --frames 3000 --out out --set memory.lock=no --set 'memory.heap=0 B'"
            " --set 'commands=[{ at: 2.9 s, do: checkpoint, file: c.tck }]' --set checkpoint.at_end=yes"
            " --set 'checkpoint.every=20 ms' --set checkpoint.folder=" +
            (dir / "disk").string() +
            "; status=$?; ls disk >listing; cp disk/frame-*.tck kept; exit $status"};
    return run(command);
  };
  fs::create_directory(dir / "kept");
  const Finished done = in_small_disk("");
  if (done.status == 77) GTEST_SKIP() << "this machine lets nobody mount a small disk: " << done.err;
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 3000);
  EXPECT_EQ(read_table(dir / "out/motion.csv").rows.size(), 3000U);
  EXPECT_GE(summary["checkpoints"]["failed"], 1);
  EXPECT_NE(read_file(dir / "out/log.txt").find("No space left on device"), std::string::npos);
  EXPECT_EQ(read_file(dir / "listing").find(".partial"), std::string::npos) << read_file(dir / "listing");
  const std::vector<fs::path> kept = checkpoints_in(dir / "kept");
  EXPECT_FALSE(kept.empty()) << read_file(dir / "listing");
  for (const fs::path& file : kept) EXPECT_NO_THROW((void)header_of(file));
}

TEST(CheckpointNightly, AFileThatMustNotGrowIsSaidAndTheRigGoesOn) {
  const TempDir dir;
  // Forty motors: the checkpoint is longer than the log, the rig file and the short recording.
  std::string rig = "rig: big\nframe: { period: 1 ms }\nmemory: { lock: no, heap: 0 B }\nmodels:\n";
  for (int i = 0; i < 40; ++i) rig += "  m" + std::to_string(i) + ": { model: dc_servo, library: servo }\n";
  dir.write("big.yaml", rig +
                            "checkpoint: { at_end: yes }\ncommands: [{ at: 20 ms, do: checkpoint }]\n"
                            "record: { m: { variables: [m0.speed] } }\n");
  Command command = tactus({}, dir.path());
  const std::string line = "'" TACTUS_COMMAND "' run big.yaml --no-realtime --frames 100";
  command.argv = {"bash", "-c", line + " --out free"};
  Finished done = run(command);
  ASSERT_EQ(done.status, 0) << done;
  std::uintmax_t others = 0;
  std::uintmax_t least = UINTMAX_MAX;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(dir / "free")) {
    if (!entry.is_regular_file()) continue;
    if (entry.path().extension() == ".tck") {
      least = std::min(least, entry.file_size());
    } else {
      others = std::max(others, entry.file_size());
    }
  }
  const std::uintmax_t limit = others / 1024 + 4;
  ASSERT_LT(limit * 1024, least) << "this test needs a longer checkpoint";
  command.argv = {"bash", "-c", "ulimit -f " + std::to_string(limit) + "; " + line + " --out out"};
  done = run(command);
  EXPECT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["frames"]["run"], 100);
  EXPECT_EQ(summary["checkpoints"]["failed"], 2) << summary["checkpoints"];
  EXPECT_NE(read_file(dir / "out/log.txt").find("File too large"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(dir / "out/checkpoints"));
}

// --- killed

TEST(CheckpointNightly, AKillAtAnyMomentLeavesWholeFilesAlone) {
  constexpr unsigned kSeed = 20260404;
  const int kKills = trials(30);
  std::mt19937 random(kSeed);
  const TempDir dir;
  const auto end = std::chrono::steady_clock::now() + 20s;
  int kills = 0;
  std::size_t files = 0;
  for (; kills < 5 || (kills < kKills && std::chrono::steady_clock::now() < end); ++kills) {
    const auto after = std::chrono::microseconds(random() % 120'000);
    SCOPED_TRACE("kill " + std::to_string(kills) + ", " + std::to_string(after.count()) +
                 " us after the first file");
    const std::string out = "out" + std::to_string(kills);
    Process rig(run_rig(
        "servo", {"--no-realtime", "--set", "until=stopped", "--set", "checkpoint.every=5 ms", "--out", out},
        dir.path()));
    ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
    ASSERT_TRUE(appears(dir / out / "checkpoints")) << rig.err();
    std::this_thread::sleep_for(after);
    rig.signal(SIGKILL);
    ASSERT_EQ(rig.wait().signal, SIGKILL);
    fs::path last;
    for (const fs::path& file : checkpoints_in(dir / out / "checkpoints")) {
      EXPECT_NO_THROW((void)header_of(file));
      last = file;
      ++files;
    }
    ASSERT_FALSE(last.empty());
    if (fs::exists(dir / out / "motion.csv")) {
      const Table motion = read_table(dir / out / "motion.csv");
      for (const auto& row : motion.rows) ASSERT_EQ(row.size(), motion.header.size());
    }
    const std::int64_t frame = header_of(last)["frame"].get<std::int64_t>();
    const Finished done = run(run_rig("servo",
                                      {"--no-realtime", "--frames", std::to_string(frame + 20), "--from",
                                       last.string(), "--out", out + "rest"},
                                      dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    fs::remove_all(dir / out);
  }
  EXPECT_GE(files, static_cast<std::size_t>(kills));
}

}  // namespace
}  // namespace tactus::test::checkpoint_run_test
