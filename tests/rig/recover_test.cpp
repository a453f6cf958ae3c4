// SPDX-License-Identifier: Apache-2.0
/// What a killed rig leaves, and what `tactus recover` makes of it.
#include <csignal>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "rig_command.hpp"

namespace tactus::test::recover_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Finished recover(const TempDir& dir, const std::string& folder, bool only_look = false) {
  return run(tactus(only_look ? Arguments{"recover", folder, "--dry-run"} : Arguments{"recover", folder},
                    dir.path()));
}

bool says(const Finished& done, const std::string& text) {
  return (done.out + done.err).find(text) != std::string::npos;
}

void append(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

/// A run of 300 frames in the folder "out".
struct Ran {
  TempDir dir;

  Ran() {
    EXPECT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "300", "--out", "out"}, dir.path())).status,
              0);
  }
  fs::path file(const char* name) const { return dir / "out" / name; }
};

TEST(Recover, ARunThatEndedInOrderIsWhole) {
  const Ran ran;
  const std::string before = read_file(ran.file("motion.csv"));
  for (const bool only_look : {true, false}) {
    const Finished done = recover(ran.dir, "out", only_look);
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_TRUE(says(done, "out: ended in order\n")) << done;
    EXPECT_TRUE(says(done, "  motion.csv               whole    300 records, to 0.299 s; ended in order\n"))
        << done;
    EXPECT_TRUE(says(done, "  log.txt                  whole    ")) << done;
  }
  EXPECT_EQ(read_file(ran.file("motion.csv")), before);
  Json recordings = summary_of(ran.dir / "out")["recordings"];
  ASSERT_FALSE(recordings.empty());
  for (const Json& each : recordings) EXPECT_EQ(each["ended"], true) << each;
}

TEST(Recover, CutsTornEndsUnlessItOnlyLooks) {
  const Ran ran;
  const std::string motion = read_file(ran.file("motion.csv"));
  const std::string log = read_file(ran.file("log.txt"));
  ran.dir.write("out/journal.jsonl", "{\"frame\": 1}\n");
  append(ran.file("motion.csv"), "0.3,1.2");
  append(ran.file("log.txt"), "2026-01-01 12:");
  append(ran.file("journal.jsonl"), "{\"fra");

  const Finished look = recover(ran.dir, "out", true);
  EXPECT_EQ(look.status, 1) << look;
  EXPECT_TRUE(says(look, "torn     300 records, to 0.299 s, then 7 bytes of a torn end\n")) << look;
  EXPECT_EQ(read_file(ran.file("motion.csv")), motion + "0.3,1.2");

  const Finished done = recover(ran.dir, "out");
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(says(done, "cut      300 records, to 0.299 s; 7 bytes of a torn end were cut off\n")) << done;
  EXPECT_EQ(read_file(ran.file("motion.csv")), motion);
  EXPECT_EQ(read_file(ran.file("log.txt")), log);
  EXPECT_EQ(read_file(ran.file("journal.jsonl")), "{\"frame\": 1}\n");
}

TEST(Recover, NamesWhatIsDamagedAndLeavesIt) {
  const Ran ran;
  const std::string motion = read_file(ran.file("motion.csv"));
  const std::string shorter = motion.substr(0, motion.rfind('\n', motion.size() - 2) + 1);
  ran.dir.write("out/motion.csv", shorter);
  ran.dir.write("out/checkpoints/frame-7.tck", "tactusCK and no more");
  ran.dir.write("out/checkpoints/frame-9.tck.partial", "tactusCK");
  const Finished done = recover(ran.dir, "out");
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done, "damaged  299 records, to 0.298 s; the rig wrote 300 records\n")) << done;
  EXPECT_TRUE(says(done, "frame-7.tck: is cut off: 20 bytes")) << done;
  EXPECT_TRUE(says(done, "the rig ended while it wrote this checkpoint; delete it")) << done;
  EXPECT_EQ(read_file(ran.file("motion.csv")), shorter);

  std::string bad = motion;
  bad.replace(bad.find("\n0.1,") + 1, 4, "0;1");  // a column less, in the middle
  ran.dir.write("out/motion.csv", bad);
  const Finished middle = recover(ran.dir, "out");
  EXPECT_EQ(middle.status, 1) << middle;
  EXPECT_TRUE(says(middle, "line 102 is not a whole row\n")) << middle;
  EXPECT_EQ(read_file(ran.file("motion.csv")), bad);

  fs::remove(ran.file("motion.csv"));
  const Finished gone = recover(ran.dir, "out");
  EXPECT_EQ(gone.status, 1) << gone;
  EXPECT_TRUE(says(gone, "its file is gone; the rig wrote 300 records")) << gone;

  Json summary = summary_of(ran.dir / "out");
  Json& mark = summary["recordings"][0];
  ASSERT_EQ(mark["name"], "motion");
  mark["ended"] = false;
  mark["written"] = 0;
  mark["lost"] = 300;
  mark["error"] = "motion.csv was removed or replaced while the rig wrote it";
  ran.dir.write("out/summary.json", summary.dump());
  const Finished lost = recover(ran.dir, "out");
  EXPECT_EQ(lost.status, 1) << lost;
  EXPECT_TRUE(says(lost, "damaged  its file is gone; 300 of 300 records lost: motion.csv was removed or "))
      << lost;

  mark = {{"name", "motion"}, {"ended", false}};  // as of a killed rig
  ran.dir.write("out/summary.json", summary.dump());
  const Finished killed = recover(ran.dir, "out");
  EXPECT_EQ(killed.status, 1) << killed;
  EXPECT_TRUE(says(killed, "damaged  its file is gone; the rig made it before its first frame")) << killed;

  summary["frames"]["run"] = 0;
  ran.dir.write("out/summary.json", summary.dump());
  const Finished early = recover(ran.dir, "out");
  EXPECT_TRUE(says(early, "missing  the rig ended before it made the file")) << early;
}

TEST(Recover, NamesFilesOfRecordingsThatWereNotWrittenToTheirEnd) {
  const Ran ran;
  for (const char* const name : {"motion.h5.mended", "motion.h5.partial", "motion.h5.shortened"})
    ran.dir.write(std::string("out/") + name, "");
  const Finished done = recover(ran.dir, "out");
  EXPECT_EQ(done.status, 0) << done;
  for (const char* const line :
       {"  motion.h5.partial        unended  was not written to its end; delete it\n",
        "  motion.h5.shortened      unended  was not written to its end; delete it\n"})
    EXPECT_TRUE(says(done, line)) << done;
}

TEST(Recover, SaysWhatIsMissingInAFileThatEndedInOrder) {
  const Ran ran;
  Json summary = summary_of(ran.dir / "out");
  summary["recordings"][0]["lost"] = 5;  // as where the disk is too slow for a while
  ran.dir.write("out/summary.json", summary.dump());
  const Finished done = recover(ran.dir, "out");
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done, "out: completed, but records were lost\n")) << done;
  EXPECT_TRUE(says(done,
                   "  motion.csv               whole    300 records, to 0.299 s; "
                   "5 of 305 records lost: the disk could not follow\n"))
      << done;
  append(ran.file("motion.csv"), "0.3,");
  const Finished cut = recover(ran.dir, "out");
  EXPECT_EQ(cut.status, 1) << cut;
  EXPECT_TRUE(says(cut,
                   "cut      300 records, to 0.299 s; 5 of 305 records lost: the disk could not follow; "
                   "4 bytes of a torn end were cut off\n"))
      << cut;
}

TEST(Recover, CutsNothingOffAFileThatHoldsFewerRecordsThanTheRigWrote) {
  const TempDir dir;
  const Arguments as_mdf{"--no-realtime", "--frames", "300", "--set", "record.motion.driver=mdf4",
                         "--out",         "out"};
  ASSERT_EQ(run(run_rig("servo", as_mdf, dir.path())).status, 0);
  std::string bad = read_file(dir / "out/motion.mf4");
  const std::size_t data = bad.find("##DT");
  ASSERT_NE(data, std::string::npos);
  // Its length, which is beyond the end of the file then, as that of a torn block.
  bad[data + 8 + 5] = '\x01';
  for (const std::string& bytes : {bad, std::string()}) {
    dir.write("out/motion.mf4", bytes);
    for (const bool only_look : {true, false}) {
      const Finished done = recover(dir, "out", only_look);
      EXPECT_EQ(done.status, 1) << done;
      EXPECT_TRUE(says(done, "motion.mf4               damaged  0 records")) << done;
      EXPECT_TRUE(says(done, "; the rig wrote 300 records\n")) << done;
    }
    EXPECT_EQ(read_file(dir / "out/motion.mf4"), bytes);
  }
}

TEST(Recover, AFolderWithoutASummarySaysWhyToEveryCommand) {
  const TempDir dir;
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "30", "--out", "runs/a"}, dir.path())).status,
            0);
  fs::remove(dir / "runs/a/summary.json");
  fs::copy(dir / "runs/a", dir / "runs/b");
  dir.write("runs/b/log.txt", "");
  dir.write("runs/c/log.txt", "");
  const Finished ps = run(tactus({"ps"}, dir.path()));
  const std::pair<const char*, const char*> rows[] = {
      {"runs/a", "the file was removed; log.txt says: ended after 30 frames"},
      {"runs/b", "the rig was killed before it wrote the first one, or the file was removed"},
      {"runs/c", "the rig was killed before it wrote rig.yaml"}};
  for (const auto& [folder, why] : rows) {
    const Finished done = recover(dir, folder);
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_TRUE(says(done, why)) << done;
    EXPECT_TRUE(says(ps, std::string("the end of ") + folder + " is not known: there is no summary.json: "))
        << ps;
    const Finished told = run(tactus({"report", folder, "--to", "report.html"}, dir.path()));
    EXPECT_TRUE(says(told, why)) << told;
  }
}

TEST(Recover, RefusesAFolderThatIsNoRunFolder) {
  const TempDir dir;
  const Finished done = recover(dir, "somewhere");
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(says(done, "somewhere is not a run folder: it holds no rig.yaml")) << done;
  const Finished trace = run(tactus({"trace", "."}, dir.path()));
  EXPECT_EQ(trace.status, 2) << trace;
  EXPECT_TRUE(says(trace, ". is not a run folder: it holds no rig.yaml")) << trace;
}

TEST(Recover, SaysOfAFolderThatItMayNotReadIt) {
  const TempDir dir;
  dir.write("closed/rig.yaml", "rig: a\n");
  for (const char* const name : {"recover", "report", "trace"}) {
    std::string why;
    const auto command = without_privileges(tactus({name, "closed"}, dir.path()), dir, why);
    if (!command) GTEST_SKIP() << why;
    fs::permissions(dir / "closed", fs::perms::none);
    const Finished done = run(*command);
    fs::permissions(dir / "closed", fs::perms::owner_all);
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_TRUE(says(done, "closed cannot be read: Permission denied")) << done;
  }
}

TEST(RecoverNightly, TouchesNothingWhileARigWrites) {
  const TempDir dir;
  Process rig(run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path()));
  ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
  const Finished done = recover(dir, "out");
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(says(done, "a rig still writes into out: stop it first, or look with --dry-run")) << done;
  const Finished look = recover(dir, "out", true);
  EXPECT_TRUE(says(look, "a rig still writes into out: this is its present state\nout: has not ended yet\n"))
      << look;
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0);
  EXPECT_EQ(recover(dir, "out").status, 0);
}

/// A rig that was killed, and whose witness has not been able to do its part.
struct KilledRig {
  TempDir dir;
  Process rig{run_rig("servo", {"--set", "until=stopped", "--out", "out"}, dir.path())};

  KilledRig() {
    EXPECT_TRUE(wait_for_text(dir / "out/frames.csv", "\n0")) << rig.err();
    EXPECT_EQ(::kill(rig.started_pid(), SIGSTOP), 0);
    rig.signal(SIGKILL);
  }
  /// The command says that it waits. How long that is lasts as long as the machine likes.
  std::unique_ptr<Process> waiting(const Arguments& arguments) const {
    Command command = tactus(arguments, dir.path());
    command.child = false;
    auto process = std::make_unique<Process>(command);
    EXPECT_TRUE(process->wait_for_output("the rig was killed, and its process ")) << process->err();
    return process;
  }
  void let_witness_go_on() const { EXPECT_EQ(::kill(rig.started_pid(), SIGCONT), 0); }
};
const Arguments kThatWait[] = {{"recover", "out", "--dry-run"}, {"trace", "out"}, {"recover", "out"}};

TEST(Recover, AndTraceWaitForARigThatIsStillTakenApart) {
  for (const Arguments& arguments : kThatWait) {
    const KilledRig killed;
    const auto command = killed.waiting(arguments);
    killed.let_witness_go_on();
    EXPECT_EQ(command->wait().signal, 0);
  }
}

TEST(RecoverNightly, AndTraceSayWhatIsThereAfterTheWait) {
  for (const Arguments& arguments : kThatWait) {
    const KilledRig killed;
    const auto command = killed.waiting(arguments);
    killed.let_witness_go_on();
    const Finished done = command->wait();
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_TRUE(says(done, arguments[0] == "trace" ? "  killed\n" : "killed by SIGKILL after ")) << done;
    EXPECT_FALSE(says(done, "asked for")) << done;
    const Json summary = summary_of(killed.dir / "out");
    EXPECT_EQ(summary["traces"].size(), 1U) << summary["traces"];
  }
}

TEST(RecoverNightly, AndTraceNameAProcessThatDoesNotEnd) {
  for (const Arguments& arguments : kThatWait) {
    const KilledRig killed;
    const Finished done = killed.waiting(arguments)->wait();
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_TRUE(says(done, "of the rig has not ended yet; run this again when it has")) << done;
    EXPECT_FALSE(says(done, "asked for")) << done;
    killed.let_witness_go_on();  // else nobody can wait for its end
  }
}

/// Kills so many rigs, each at a moment of its own, and reads what they leave.
void kill_rigs(int rigs) {
  const TempDir dir;
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "20000", "--out", "fast"}, dir.path())).status,
            0);
  const std::string all = read_file(dir / "fast/motion.csv");
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int i = 0; i < rigs && !::testing::Test::HasFailure(); ++i) {
    const bool paced = i % 2 == 0;
    const auto after = std::chrono::microseconds(random() % 600'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", rig " + std::to_string(i) + ", killed after " +
                 std::to_string(after.count()) + " us");
    const std::string out = "out" + std::to_string(i);
    Arguments more{"--set", "until=stopped", "--out", out};
    if (!paced) more = more + Arguments{"--no-realtime"};
    Process rig(run_rig("servo", more, dir.path()));
    ASSERT_TRUE(rig.wait_for_output("frames until stopped")) << rig.err();
    std::this_thread::sleep_for(after);
    rig.signal(SIGKILL);
    const Finished killed = rig.wait();
    EXPECT_EQ(killed.signal, SIGKILL);
    // The kernel may stop in the middle of a write when it kills, the likelier the longer the writer waits for a CPU.
    bool torn = false;
    for (const char* name : {"motion.csv", "frames.csv", "log.txt"}) {
      if (!paced && std::string(name) == "frames.csv") continue;
      const std::string text = read_file(dir / out / name);
      ASSERT_NE(text, "") << name;
      torn = torn || text.back() != '\n';
    }
    const Finished recovered = recover(dir, out);
    EXPECT_EQ(recovered.status, 0) << recovered;
    EXPECT_TRUE(says(recovered, ": killed: killed by SIGKILL after ")) << recovered << killed;
    EXPECT_TRUE(says(recovered, "no end mark") || says(recovered, "cut off")) << recovered;
    if (torn) {
      EXPECT_TRUE(says(recovered, "of a torn end w")) << recovered;
    }
    const Table motion = read_table(dir / out / "motion.csv");
    EXPECT_EQ(motion.torn, "");
    ASSERT_GT(motion.header.size(), 1U);
    for (const auto& row : motion.rows) ASSERT_EQ(row.size(), motion.header.size());
    const std::string kept = read_file(dir / out / "motion.csv");
    const std::size_t same = std::min(kept.size(), all.size());
    EXPECT_EQ(kept.compare(0, same, all, 0, same), 0) << "each byte is the right one";
    fs::remove_all(dir / out);
  }
}

TEST(Recover, ARigThatIsKilledAtAnyMomentLeavesWholeFiles) { kill_rigs(trials(15)); }

TEST(RecoverNightly, TwoHundredRigsThatAreKilledLeaveWholeFiles) { kill_rigs(200); }

}  // namespace
}  // namespace tactus::test::recover_test
