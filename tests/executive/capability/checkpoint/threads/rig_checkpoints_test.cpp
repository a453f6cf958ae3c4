// SPDX-License-Identifier: Apache-2.0
/// Checkpoints that the writer's thread writes beside the frames.
#include "executive/capability/checkpoint/rig_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/executive/support/recorded_voice.hpp"
#include "tests/executive/support/simulated_rig.hpp"

namespace tactus::executive::rig_checkpoints_threads_test {
namespace {

using tactus::test::TempDir;
using test::kHead;
using test::RecordedVoice;
using test::SimulatedRig;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kRig = kHead + "  a: { model: gain, library: ./libmodels.so }\n";

struct Beside {
  explicit Beside(const std::string& text) : rig(text), checkpoints(rig.rig, dir.path()) {
    (void)checkpoints.prepare(rig.executive);
    checkpoints.read_start("", INT64_MAX);
    checkpoints.start({"checkpoint", {}, rtsync::SchedPolicy::other, 0, 0, false});
  }
  /// Runs, waits for what is under way, and says what became of it.
  std::vector<std::string> run(std::int64_t frames) {
    (void)rig.run(frames);
    checkpoints.stop();
    checkpoints.poll(voice.voice());
    return voice.take();
  }
  const TempDir dir;
  SimulatedRig rig;
  RigCheckpoints checkpoints;
  RecordedVoice voice;
};

TEST(RigCheckpointsBesideFrames, OneThatIsAskedForIsWrittenAndToldInTheLog) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] { EXPECT_EQ(run.checkpoints.request("here"), ""); };
  EXPECT_THAT(run.run(20), IsEmpty());
  const std::string file = (run.dir / "checkpoints/here.tck").string();
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THAT(run.voice.log(),
              AllOf(HasSubstr("checkpoint " + file + ": "), HasSubstr(" bytes after frame 11, written in ")));
  EXPECT_EQ(run.checkpoints.summary()["written"], config::Json::array({file}));
}

TEST(RigCheckpointsBesideFrames, OneWithoutANameIsNamedAfterTheFramesRun) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] { EXPECT_EQ(run.checkpoints.request(), ""); };
  (void)run.run(20);
  EXPECT_EQ(run.checkpoints.list()["checkpoints"].size(), 1U);
  EXPECT_THAT(run.checkpoints.list()["checkpoints"][0]["name"].get<std::string>(), HasSubstr("frame-12"));
}

TEST(RigCheckpointsBesideFrames, AnotherOneWithANameWaitsForTheFirst) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] {
    EXPECT_EQ(run.checkpoints.request("one"), "");
    EXPECT_EQ(run.checkpoints.request("two"),
              "another checkpoint with a name waits for the end of its frame; try "
              "again");
  };
  (void)run.run(20);
  EXPECT_EQ(run.checkpoints.list()["checkpoints"].size(), 1U);
}

TEST(RigCheckpointsBesideFrames, OneIsNotLoadedBeforeItIsWritten) {
  Beside run(kRig);
  std::filesystem::create_directories(run.dir / "checkpoints");
  (void)run.dir.write("checkpoints/here.tck", "an older one");
  run.rig.behind_frame[10] = [&] {
    EXPECT_EQ(run.checkpoints.request("here"), "");
    EXPECT_EQ(run.checkpoints.load("here"),
              "checkpoint 'here.tck' is still to be written; try again in a moment");
    EXPECT_THAT(run.checkpoints.load("there"), HasSubstr("there.tck"));
  };
  EXPECT_THAT(run.run(20), IsEmpty());
  EXPECT_EQ(run.checkpoints.load("here"), "");
}

TEST(RigCheckpointsBesideFrames, TheLaterOfTwoOfOneNameIsAwaited) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] { EXPECT_EQ(run.checkpoints.request("here"), ""); };
  run.rig.behind_frame[11] = [&] {  // the first has been taken, and is being written
    EXPECT_EQ(run.checkpoints.request("here"), "");
    while (!std::filesystem::exists(run.dir / "checkpoints/here.tck"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(run.checkpoints.load("here"),
              "checkpoint 'here.tck' is still to be written; try again in a moment");
  };
  run.rig.behind_frame[12] = [&] {  // the second waits for the end of the first
    while (run.checkpoints.summary()["written"].empty()) run.checkpoints.poll(run.voice.voice());
  };
  EXPECT_THAT(run.run(20), IsEmpty());
  EXPECT_THAT(run.voice.log(), AnyOf(HasSubstr(" bytes after frame 12, written in "),
                                     HasSubstr(" bytes after frame 13, written in ")));
  EXPECT_EQ(run.checkpoints.load("here"), "");
}

TEST(RigCheckpointsBesideFrames, OneWithoutANameIsAwaitedByTheNameOfItsFrame) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] {
    EXPECT_EQ(run.checkpoints.request(), "");
    EXPECT_THAT(run.checkpoints.load("frame-12"), HasSubstr("'frame-12.tck' is still to be written"));
  };
  EXPECT_THAT(run.run(20), IsEmpty());
  EXPECT_EQ(run.checkpoints.load("frame-12"), "");
}

TEST(RigCheckpointsBesideFrames, OneThatCannotBeWrittenIsAWarningAndCounted) {
  Beside run(kRig);
  run.rig.behind_frame[10] = [&] {
    EXPECT_EQ(run.checkpoints.request("here"), "");
    std::filesystem::remove_all(run.dir / "checkpoints");
    (void)run.dir.write("checkpoints", "a file");
  };
  EXPECT_THAT(run.run(20),
              ElementsAre(HasSubstr("checkpoint " + (run.dir / "checkpoints/here.tck").string() + ": ")));
  EXPECT_EQ(run.checkpoints.summary()["failed"], 1);
  EXPECT_EQ(run.checkpoints.summary()["written"], config::Json::array());
}

TEST(RigCheckpointsBesideFrames, ThoseOfTheRigFileComeAtTheirTimes) {
  Beside run(kRig + "checkpoint: { every: 5 ms }\n");
  (void)run.run(21);
  const config::Json all = run.checkpoints.summary();
  const std::int64_t written = static_cast<std::int64_t>(all["written"].size());
  EXPECT_GE(written, 1);
  // One that is due while the one before is written is missed, or still waits at the end.
  EXPECT_EQ(written + all["missed"].get<std::int64_t>() + all["unfinished"].get<std::int64_t>(), 4) << all;
}

/// Number of those that were due.
std::int64_t due(const RigCheckpoints& checkpoints) {
  const config::Json all = checkpoints.summary();
  return static_cast<std::int64_t>(all["written"].size()) + all["missed"].get<std::int64_t>() +
         all["unfinished"].get<std::int64_t>();
}

TEST(RigCheckpointsBesideFrames, TheTimeBetweenThoseOfTheRigFileIsRoundedUpToWholeFrames) {
  Beside run(kRig + "checkpoint: { every: 4.2 ms }\n");
  (void)run.run(21);
  EXPECT_EQ(due(run.checkpoints), 4) << "before frames 5, 10, 15 and 20";
}

TEST(RigCheckpointsBesideFrames, ThoseOfTheRigFileComeAgainAfterAReset) {
  Beside run(kRig + "checkpoint: { every: 10 ms }\n");
  run.rig.behind_frame[15] = [&] { run.rig.executive.request_reset(); };
  (void)run.run(21);
  EXPECT_EQ(run.rig.executive.restart().resets(), 1);
  EXPECT_EQ(due(run.checkpoints), 3) << "before frame 10, and after the reset before frames 10 and 20";
}

TEST(RigCheckpointsBesideFrames, ThoseOfTheRigFileComeAfterAResetToBeforeTheFirstFrameOfTheRun) {
  const TempDir dir;
  {
    Beside first(kRig + "checkpoint: { at_end: yes }\n");
    (void)first.run(50);
    const RigCheckpoints::Saved saved = first.checkpoints.save_end();
    ASSERT_EQ(saved.error, "");
    std::filesystem::copy_file(saved.file, dir / "end.tck");
  }
  Beside run(kRig + "checkpoint: { every: 20 ms }\n");
  run.checkpoints.read_start(dir / "end.tck", INT64_MAX);
  run.rig.behind_frame[3] = [&] { run.rig.executive.request_reset(); };
  (void)run.rig.run(56, [&] { run.rig.executive.restart().load(*run.checkpoints.start_state()); });
  run.checkpoints.stop();
  run.checkpoints.poll(run.voice.voice());
  EXPECT_EQ(run.rig.executive.restart().resets(), 1);
  EXPECT_EQ(due(run.checkpoints), 2) << "after the reset, before frames 20 and 40";
}

}  // namespace
}  // namespace tactus::executive::rig_checkpoints_threads_test
