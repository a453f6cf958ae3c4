// SPDX-License-Identifier: Apache-2.0
/// Recordings that the recorder's thread writes beside the frames.
#include "executive/capability/record/run_recordings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/executive/support/recorded_voice.hpp"
#include "tests/executive/support/simulated_rig.hpp"
#include "tests/support/full_disk.hpp"

namespace tactus::executive::run_recordings_threads_test {
namespace {

using config::Json;
using tactus::test::FullDisk;
using tactus::test::read_file;
using tactus::test::TempDir;
using test::RecordedVoice;
using test::SimulatedRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kRig =
    "rig: r\nframe: { period: 1 ms }\nmodels:\n  a: { model: gain, library: ./libmodels.so }\n"
    "record: { motion: { variables: [a.y] } }\n";
const rtsync::ThreadSettings kHelper{"recorder", {}, rtsync::SchedPolicy::other, 0, 0, false};

struct Beside {
  Beside() : rig(kRig), recordings(rig.rig, dir.path(), true) { recordings.join(rig.executive); }
  const TempDir dir;
  SimulatedRig rig;
  RunRecordings recordings;
  RecordedVoice voice;
};

TEST(RunRecordingsWithFiles, HaveARowForEachFrame) {
  Beside run;
  (void)run.recordings.start(kHelper);
  (void)run.rig.run(50);
  run.recordings.stop();
  const Json all = run.recordings.summary();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], Json::parse(R"({"name": "motion", "sampled": 50, "written": 50, "lost": 0, "error": "",
                                    "ended": true})"));
  EXPECT_EQ(all[1]["name"], "frames");
  EXPECT_EQ(all[1]["written"], 50);
  EXPECT_EQ(run.recordings.lost(), 0U);
  run.recordings.tell_losses(run.voice.voice());
  EXPECT_THAT(run.voice.take(), IsEmpty());
  const std::string text = read_file(run.dir / "motion.csv");
  EXPECT_THAT(text, StartsWith("sys.exec.out.time {s},a.y {V}"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
}

TEST(RunRecordingsWithFiles, AFullDiskIsToldWithWhatWasLost) {
  Beside run;
  (void)run.recordings.start(kHelper);
  {
    const FullDisk disk(2000);
    (void)run.rig.run(1000);
    run.recordings.stop();
  }
  EXPECT_GT(run.recordings.lost(), 0U);
  const Json motion = run.recordings.summary()[0];
  EXPECT_EQ(motion["ended"], false);
  EXPECT_NE(motion["error"], "");
  EXPECT_LT(motion["written"].get<int>(), 1000);
  run.recordings.tell_losses(run.voice.voice());
  const auto said = run.voice.take();
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said[0], StartsWith("recording motion: "));
  EXPECT_THAT(said[0], HasSubstr(" of 1000 records lost: "));
}

TEST(RunRecordingsWithFiles, AFileThatWasRemovedOrReplacedHoldsNothing) {
  for (const bool replaced : {false, true}) {
    Beside run;
    (void)run.recordings.start(kHelper);
    (void)run.rig.run(50);
    std::filesystem::remove(run.dir / "motion.csv");
    if (replaced) std::ofstream(run.dir / "motion.csv") << "another one";
    run.recordings.stop();
    const Json motion = run.recordings.summary()[0];
    EXPECT_EQ(motion["written"], 0);
    EXPECT_EQ(motion["lost"], 50);
    EXPECT_EQ(motion["ended"], false);
    EXPECT_EQ(
        run.recordings.failures(),
        "recording motion: 50 of 50 records lost: motion.csv was removed or replaced while the rig wrote it");
  }
}

TEST(RunRecordingsWithFiles, AFileThatIsMovedAwayIsReportedAtOnceAndWholeIfItComesBack) {
  Beside run;
  (void)run.recordings.start(kHelper);
  (void)run.rig.run(50);
  std::filesystem::rename(run.dir / "motion.csv", run.dir / "elsewhere.csv");
  std::vector<std::string> said;
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (said.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    run.recordings.poll_seldom(run.voice.voice());
    said = run.voice.take();
  }
  EXPECT_THAT(said,
              ElementsAre("recording motion: motion.csv was removed or replaced while the rig wrote it; "
                          "all of it is lost unless that is undone before the run ends, and the rig "
                          "continues"));
  run.recordings.poll_seldom(run.voice.voice());
  EXPECT_THAT(run.voice.take(), IsEmpty()) << "it was said";
  std::filesystem::rename(run.dir / "elsewhere.csv", run.dir / "motion.csv");
  run.recordings.stop();
  const Json motion = run.recordings.summary()[0];
  EXPECT_EQ(motion["written"], 50);
  EXPECT_EQ(motion["lost"], 0);
  EXPECT_EQ(motion["ended"], true);
}

TEST(RunRecordingsWithFiles, AFileThatSomebodyCutHoldsNothingThatIsKnown) {
  Beside run;
  (void)run.recordings.start(kHelper);
  (void)run.rig.run(50);
  while (std::filesystem::file_size(run.dir / "motion.csv") < 100)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::filesystem::resize_file(run.dir / "motion.csv", 10);
  run.recordings.stop();
  const Json motion = run.recordings.summary()[0];
  EXPECT_EQ(motion["written"], 0);
  EXPECT_EQ(motion["lost"], 50);
  EXPECT_EQ(motion["ended"], false);
  EXPECT_THAT(run.recordings.failures(), HasSubstr("motion.csv was cut from "));
  EXPECT_THAT(run.recordings.failures(), HasSubstr(" to 10 bytes while the rig wrote it"));
}

TEST(RunRecordingsWithFiles, AFileThatCannotBeOpenedIsNamed) {
  Beside run;
  std::filesystem::create_directories(run.dir / "motion.csv");
  try {
    (void)run.recordings.start(kHelper);
    FAIL() << "there is a folder of that name";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("motion"));
  }
}

TEST(RunRecordingsWithFiles, TheFrameThatNeverEndsHasARowOfItsOwn) {
  Beside run;
  (void)run.recordings.start(kHelper);
  (void)run.rig.run(10);
  run.recordings.take_unended(10);
  run.recordings.stop();
  EXPECT_EQ(run.recordings.summary()[1]["written"], 11);
}

}  // namespace
}  // namespace tactus::executive::run_recordings_threads_test
