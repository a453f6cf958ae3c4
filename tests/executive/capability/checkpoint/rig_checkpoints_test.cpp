// SPDX-License-Identifier: Apache-2.0
/// The checkpoints of a run, but for those that the writer's thread writes: threads/rig_checkpoints_test.cpp.
#include "executive/capability/checkpoint/rig_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/executive/support/recorded_voice.hpp"
#include "tests/executive/support/simulated_rig.hpp"

namespace tactus::executive::rig_checkpoints_test {
namespace {

namespace fs = std::filesystem;
using tactus::test::TempDir;
using test::kHead;
using test::RecordedVoice;
using test::SimulatedRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kRig = kHead + "  a: { model: gain, library: ./libmodels.so }\n";
const std::string kAtEnd = kRig + "checkpoint: { at_end: yes }\n";

/// A rig and its checkpoints, ready for the first frame.
struct Beside {
  explicit Beside(const fs::path& folder, const std::string& text = kAtEnd)
      : rig(text), checkpoints(rig.rig, folder), provisions(checkpoints.prepare(rig.executive)) {}
  std::string refusal_of_start(const fs::path& from, std::int64_t end = INT64_MAX) {
    try {
      checkpoints.read_start(from, end);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  SimulatedRig rig;
  RigCheckpoints checkpoints;
  std::vector<rtsync::Provision> provisions;
};

/// The checkpoint of the end of so many frames.
fs::path made_checkpoint(const fs::path& folder, std::int64_t frames = 20, const std::string& text = kAtEnd) {
  Beside run(folder, text);
  (void)run.rig.run(frames);
  const RigCheckpoints::Saved saved = run.checkpoints.save_end();
  EXPECT_EQ(saved.error, "");
  return saved.file;
}

TEST(RigCheckpoints, TheOneOfTheEndIsWrittenAndTold) {
  const TempDir dir;
  Beside run(dir.path());
  RecordedVoice voice;
  EXPECT_THAT(run.provisions, IsEmpty());
  EXPECT_TRUE(run.checkpoints.wants_end());
  (void)run.rig.run(20);
  RigCheckpoints::Saved saved = run.checkpoints.save_end();
  EXPECT_EQ(saved.error, "");
  EXPECT_EQ(saved.file, dir / "checkpoints/end.tck");
  EXPECT_TRUE(fs::exists(saved.file));
  run.checkpoints.take(saved);
  run.checkpoints.poll(voice.voice());
  EXPECT_THAT(voice.take(), IsEmpty()) << "all is well";
  EXPECT_THAT(voice.log(), HasSubstr("checkpoint " + saved.file + " of the end"));
  EXPECT_EQ(run.checkpoints.summary()["written"], config::Json::array({saved.file}));
  EXPECT_EQ(run.checkpoints.summary()["failed"], 0);
}

TEST(RigCheckpoints, OneOfTheEndThatCannotBeWrittenIsAWarning) {
  const TempDir dir;
  Beside run(dir.path());
  RecordedVoice voice;
  fs::remove_all(dir / "checkpoints");
  (void)dir.write("checkpoints", "a file");
  (void)run.rig.run(20);
  RigCheckpoints::Saved saved = run.checkpoints.save_end();
  EXPECT_NE(saved.error, "");
  run.checkpoints.take(std::move(saved));
  run.checkpoints.poll(voice.voice());
  EXPECT_THAT(voice.take(), ElementsAre(HasSubstr("the checkpoint of the end was not written: ")));
  EXPECT_EQ(run.checkpoints.summary()["failed"], 1);
}

TEST(RigCheckpoints, ARigGoesOnFromOne) {
  const TempDir dir;
  const fs::path file = made_checkpoint(dir.path(), 20);
  Beside again(dir / "again");
  EXPECT_EQ(again.refusal_of_start(file), "");
  ASSERT_TRUE(again.checkpoints.start_state().has_value());
  EXPECT_EQ(again.checkpoints.start_state()->frame, 20);
  const RunEnd end =
      again.rig.run(30, [&] { again.rig.executive.restart().load(*again.checkpoints.start_state()); });
  EXPECT_EQ(again.rig.executive.latest().frames, 30);
  EXPECT_EQ(end.frames, 10) << "those of this run";
}

TEST(RigCheckpoints, WithoutOneToGoOnFromThereIsNoStartState) {
  const TempDir dir;
  Beside run(dir.path());
  EXPECT_EQ(run.refusal_of_start(""), "");
  EXPECT_FALSE(run.checkpoints.start_state().has_value());
}

TEST(RigCheckpoints, AStartThatDoesNotFitIsRefusedBeforeAnythingRuns) {
  const TempDir dir;
  const fs::path file = made_checkpoint(dir.path(), 20);
  (void)dir.write("torn.tck", tactus::test::read_file(file).substr(0, 100));
  struct Row {
    const char* why;
    std::string rig;
    fs::path from;
    std::int64_t end;
    const char* says;
  };
  const Row rows[] = {
      {"there is none", kAtEnd, dir / "none.tck", INT64_MAX, "none.tck"},
      {"it is torn", kAtEnd, dir / "torn.tck", INT64_MAX, "torn.tck"},
      {"it ends before", kAtEnd, file, 20, "at or after the end of this run (until, --until, --frames)"},
      {"other models", kHead + "  b: { model: constant, library: ./libmodels.so }\n", file, INT64_MAX,
       "--from"},
      {"another frame",
       "rig: r\nframe: { period: 2 ms }\nframe_log: no\nmodels:\n  a: { model: gain, library: "
       "./libmodels.so }\n",
       file, INT64_MAX, "2"},
      {"it may have none", kRig + "checkpoint: { enabled: no }\n", file, INT64_MAX,
       "the rig file says checkpoint: { enabled: no }"},
  };
  for (const Row& row : rows) {
    Beside run(dir / "other", row.rig);
    EXPECT_THAT(run.refusal_of_start(row.from, row.end), HasSubstr(row.says)) << row.why;
    EXPECT_FALSE(run.checkpoints.start_state().has_value()) << row.why;
  }
}

TEST(RigCheckpoints, OneIsLoadedByItsName) {
  const TempDir dir;
  const fs::path file = made_checkpoint(dir.path(), 20);
  Beside run(dir.path());
  RecordedVoice voice;
  run.rig.behind_frame[40] = [&] {
    EXPECT_EQ(run.checkpoints.load("end"), "");
    EXPECT_THAT(run.checkpoints.load("end.tck"), HasSubstr("another checkpoint is being loaded"));
  };
  run.rig.behind_frame[45] = [&] {
    run.checkpoints.poll(voice.voice());
    EXPECT_THAT(voice.take(),
                ElementsAre("loaded checkpoint " + file.string() + ": the rig continues at frame 20"));
    EXPECT_EQ(run.checkpoints.load("end"), "") << "the first one is loaded";
  };
  const RunEnd end = run.rig.run(60);
  EXPECT_EQ(run.rig.executive.latest().frames, 60);
  EXPECT_GT(end.frames, 80) << "it went back twice";
}

TEST(RigCheckpoints, ANameIsNoPath) {
  const TempDir dir;
  Beside run(dir.path());
  for (const std::string& name : {std::string("../x"), std::string("a/b"), std::string(".hidden"),
                                  std::string("a b"), std::string("\xc3\xa4"), std::string(97, 'a')}) {
    EXPECT_THAT(run.checkpoints.load(name),
                HasSubstr(" is not a name of a checkpoint: write at most 100 letters"))
        << name;
    EXPECT_THAT(run.checkpoints.request(name), HasSubstr(" is not a name of a checkpoint")) << name;
  }
  EXPECT_THAT(run.checkpoints.load(std::string(96, 'a')), HasSubstr(std::string(96, 'a') + ".tck"))
      << "a name as long as one may be, of no file";
  EXPECT_THAT(run.checkpoints.load("none"), HasSubstr("none.tck"));
}

TEST(RigCheckpoints, WhereTheRigFileSwitchesThemOffThereAreNone) {
  const TempDir dir;
  Beside run(dir.path(), kRig + "checkpoint: { enabled: no }\n");
  EXPECT_THAT(run.provisions, IsEmpty());
  const std::string why = "the rig file says checkpoint: { enabled: no }";
  EXPECT_EQ(run.checkpoints.impossible(), why);
  EXPECT_EQ(run.checkpoints.request(), why);
  EXPECT_EQ(run.checkpoints.load("end"), why);
  EXPECT_FALSE(run.checkpoints.wants_end());
}

TEST(RigCheckpoints, AFolderThatCannotBeMadeIsRefused) {
  const TempDir dir;
  (void)dir.write("taken", "a file");
  Beside run(dir.path(), kRig + "checkpoint: { at_end: yes, folder: taken/below }\n");
  ASSERT_EQ(run.provisions.size(), 1U);
  EXPECT_FALSE(run.provisions[0].granted);
  EXPECT_THAT(run.provisions[0].what, HasSubstr("the folder for checkpoints "));
  EXPECT_THAT(run.provisions[0].fix, HasSubstr("checkpoint.folder"));
}

TEST(RigCheckpoints, TheListHasThoseThatCanBeLoadedTheNewestFirst) {
  const TempDir dir;
  Beside run(dir.path());
  EXPECT_EQ(run.checkpoints.list()["checkpoints"], config::Json::array());
  const fs::file_time_type now = fs::file_time_type::clock::now();
  const auto file = [&](const char* name, int age_s) {
    fs::last_write_time(dir.write(std::string("checkpoints/") + name, "12345"),
                        now - std::chrono::seconds(age_s));
  };
  file("old.tck", 300);
  file("new.tck", 10);
  file("also-new.tck", 10);
  file(".hidden.tck", 1);
  file("half.tck.part", 1);
  fs::create_directories(dir / "checkpoints/folder.tck");
  const config::Json all = run.checkpoints.list();
  EXPECT_EQ(all["folder"], (dir / "checkpoints").string());
  EXPECT_EQ(all["left_out"], 0);
  std::string names;
  for (const auto& each : all["checkpoints"]) {
    names += each["name"].get<std::string>() + " ";
    EXPECT_EQ(each["bytes"], 5);
    EXPECT_THAT(each["written"].get<std::string>(), HasSubstr("T")) << "a date and a time";
  }
  EXPECT_EQ(names, "also-new new old ");
  for (int i = 0; i < 250; ++i) file(("x" + std::to_string(i) + ".tck").c_str(), 1000);
  EXPECT_EQ(run.checkpoints.list()["checkpoints"].size(), 200U);
  EXPECT_EQ(run.checkpoints.list()["left_out"], 53);
}

}  // namespace
}  // namespace tactus::executive::rig_checkpoints_test
