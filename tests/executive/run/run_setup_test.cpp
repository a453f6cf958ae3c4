// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "executive/run_base/machine_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::run_setup_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using tactus::test::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kRig =
    "rig: r\nframe: { period: 1 ms }\nuntil: 20 ms\nmodels:\n  a: { model: gain, library: " TEST_LIBRARIES
    "/libmodels.so }\n";

/// The current folder is another one as long as this lives.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

/// Why it cannot be; empty: nothing was thrown.
std::string refusal(const std::function<void()>& does) {
  try {
    does();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class Choices : public ::testing::Test {
 protected:
  std::unique_ptr<Rig> load(const RunOverrides& choices) const { return load_rig(file_, choices); }
  std::string refusal_of(const RunOverrides& choices) const {
    return refusal([&] { (void)load(choices); });
  }
  std::int64_t frames_of(const RunOverrides& choices) const {
    const auto rig = load(choices);
    RunOverrides here = choices;
    here.out = (dir_ / ("out" + std::to_string(made_++))).string();
    return run_options(*rig, here, RunFolder(here, "r")).frames;
  }

  const TempDir dir_;
  const std::string file_ = dir_.write("rig.yaml", kRig).string();
  mutable int made_ = 0;
};

TEST_F(Choices, TheEndIsThatOfTheRigFileOrTheCallers) {
  struct Row {
    const char* why;
    RunOverrides choices;
    std::int64_t frames;
  };
  const Row rows[] = {
      {"the rig file says so", {}, 20},
      {"frames", {.frames = 7}, 7},
      {"time", {.until = "50ms"}, 50},
      {"as many frames as begin before it", {.until = "2.5 ms"}, 3},
      {"of several changes the last one counts", {.set = {"until=5 ms", "until=0.03 s"}}, 30},
      {"frames win over the file", {.set = {"until=5 ms"}, .frames = 7}, 7},
      {"another frame", {.set = {"frame.period=2 ms"}, .until = "50 ms"}, 25},
      {"a frame that is not a whole number", {.set = {"frame.period=1/3 ms"}, .until = "1 ms"}, 3},
      {"no end", {.set = {"until=stopped"}}, INT64_MAX},
  };
  for (const Row& row : rows) EXPECT_EQ(frames_of(row.choices), row.frames) << row.why;
}

TEST_F(Choices, TheRigKeepsTheEndThatTheCallerChose) {
  EXPECT_EQ(load({.frames = 7})->settings().until, 7ms) << "its file in the run folder runs as long again";
  EXPECT_EQ(load({.until = "1 s"})->settings().until, 1s);
}

TEST_F(Choices, AnEndThatIsNoneIsRefusedAsItWasSpelled) {
  EXPECT_THAT(refusal_of({.until = "10", .spelling = "--"}),
              HasSubstr("--until 10:1:1: until: '10' has no unit"));
  EXPECT_THAT(refusal_of({.until = "0 s", .spelling = "--"}),
              HasSubstr("'0 s' is not at least 1 ns; write for "
                        "example --until 10s"));
  EXPECT_THAT(refusal_of({.until = "3 V", .spelling = ""}), HasSubstr("write for example until 10s"));
  EXPECT_THAT(
      refusal_of({.frames = 9223372036854775807, .spelling = "--"}),
      HasSubstr("at most 9223372036854 are allowed, or leave --frames away and write until: stopped"));
}

TEST_F(Choices, OfWhatALinkChoosesARigWithoutOneHasNothing) {
  EXPECT_THAT(refusal_of({.link = "free", .spelling = "--"}),
              HasSubstr("--link free:1:1: link.mode: the rig has no link; add a section link: to it"));
  EXPECT_THAT(refusal_of({.registry = "silkit://h:1", .spelling = "--"}),
              HasSubstr("--registry silkit://h:1"));
  EXPECT_EQ(refusal_of({.link = "off"}), "") << "it has none";
}

TEST_F(Choices, AFileIsLaidOverTheRigFile) {
  const std::string over =
      dir_.write("over.yaml", "frame: { period: 2 ms }\nmodels: { a: { parameters: { k: 3 } } }\n");
  const auto rig = load({.set = {"@" + over, "until=8 ms"}});
  EXPECT_EQ(rig->plan().frame, rtsync::Period(2'000'000, 1));
  EXPECT_EQ(rig->settings().until, 8ms) << "what stands behind it counts";
  EXPECT_EQ(rig->parameters().size(), 1U);
  const std::string twice = dir_.write("twice.yaml", "frame: { period: 2 ms }\nframe: { period: 3 ms }\n");
  EXPECT_THAT(refusal_of({.set = {"@" + twice}}), HasSubstr("the same key twice"));
  EXPECT_THAT(refusal_of({.set = {"@" + (dir_ / "none.yaml").string()}}), HasSubstr("none.yaml"));
}

TEST_F(Choices, EveryProblemIsToldInOneGo) {
  EXPECT_THAT(refusal_of({.set = {"realtime.on_overrun=skp", "frame_lgo=no"}, .until = "10"}),
              AllOf(HasSubstr("did you mean 'skip'?"), HasSubstr("did you mean 'frame_log'?"),
                    HasSubstr("'10' has no unit")));
}

TEST_F(Choices, OptionsAreWhatTheCallerChose) {
  const RunOverrides choices{.realtime = false,
                             .out = (dir_ / "here").string(),
                             .from = "x.tck",
                             .paused = true,
                             .margin = 2,
                             .fail_on = {.overrun = true}};
  const auto rig = load(choices);
  const RunFolder folder(choices, "r");
  const RunOptions options = run_options(*rig, choices, folder);
  EXPECT_FALSE(options.realtime);
  EXPECT_EQ(options.folder, dir_ / "here");
  EXPECT_EQ(options.from, "x.tck");
  EXPECT_TRUE(options.paused);
  EXPECT_EQ(options.margin, 2);
  EXPECT_TRUE(options.fail_on.overrun);
  EXPECT_EQ(options.frames, 20);
}

TEST(FolderOf, ALibraryWithASlashIsBesideTheRigFile) {
  EXPECT_EQ(folder_of("/a/b/rig.yaml"), "/a/b");
  EXPECT_EQ(folder_of("rig.yaml"), fs::current_path());
}

TEST(RunFolders, AFolderThatIsNamedIsMadeWithThoseAboveIt) {
  const TempDir dir;
  const InFolder here(dir.path());
  const RunFolder folder({.out = "a/b"}, "r");
  EXPECT_EQ(folder.path(), "a/b") << "as the caller gave it";
  EXPECT_EQ(folder.absolute_path(), fs::canonical(dir.path()) / "a/b");
  EXPECT_TRUE(fs::is_directory(dir / "a/b"));
  folder.leave_nothing();
  EXPECT_FALSE(fs::exists(dir / "a/b"));
}

TEST(RunFolders, AnEmptyFolderIsTakenAndStays) {
  const TempDir dir;
  fs::create_directories(dir / "mine");
  const RunFolder folder({.out = (dir / "mine").string()}, "r");
  (void)dir.write("mine/log.txt", "text");
  folder.leave_nothing();
  EXPECT_TRUE(fs::is_empty(dir / "mine")) << "the caller made it";
}

TEST(RunFolders, NoRunOverwritesAnother) {
  const TempDir dir;
  (void)dir.write("full/notes.txt", "mine");
  EXPECT_THAT(refusal([&] { RunFolder({.out = (dir / "full").string(), .spelling = "--"}, "r"); }),
              AllOf(StartsWith("--out " + (dir / "full").string()), HasSubstr("the folder is not empty")));
  EXPECT_EQ(tactus::test::read_file(dir / "full/notes.txt"), "mine");
  (void)dir.write("file", "mine");
  EXPECT_NE(refusal([&] { RunFolder({.out = (dir / "file").string()}, "r"); }), "");
  EXPECT_THROW(RunFolder({.out = (dir / "file/below").string()}, "r"), MachineError);
}

TEST(RunFolders, WithoutANameEachRunHasOneOfItsOwn) {
  const TempDir dir;
  const InFolder here(dir.path());
  std::set<std::string> names;
  for (int i = 0; i < 3; ++i) {
    const RunFolder folder({}, "servo");
    EXPECT_THAT(folder.path().string(), StartsWith("runs/servo-"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
    names.insert(folder.path());
  }
  EXPECT_EQ(names.size(), 3U);
}

TEST(RunFolders, WhereThereCanBeNoRunsItSaysSo) {
  const TempDir dir;
  (void)dir.write("runs", "a file");
  const InFolder here(dir.path());
  EXPECT_THAT(refusal([] { RunFolder({.spelling = "--"}, "servo"); }),
              AllOf(HasSubstr("cannot make the run folder runs"), HasSubstr("choose another with --out")));
}

}  // namespace
}  // namespace tactus::executive::run_setup_test
