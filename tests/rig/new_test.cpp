// SPDX-License-Identifier: Apache-2.0
/// `tactus new`: the folders that it makes. Docs.FirstModel builds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/rig/rig_command.hpp"

namespace tactus::new_test {
namespace {

using namespace tactus::test;
namespace fs = std::filesystem;

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(NewCommand, MakesAFolderWhoseFilesHaveTheName) {
  const TempDir dir;
  const Finished done = run(tactus({"new", "model", "water_pump2"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  const std::vector<std::string> expected{"CMakeLists.txt",  "README.md",        "water_pump2.cpp",
                                          "water_pump2.hpp", "water_pump2.yaml", "water_pump2_test.cpp"};
  EXPECT_EQ(files_of(dir / "water_pump2"), expected);
  for (const std::string& name : expected)
    EXPECT_EQ(read_file(dir / "water_pump2" / name).find('@'), std::string::npos) << name;
  EXPECT_NE(read_file(dir / "water_pump2/water_pump2.hpp").find("class WaterPump2 : public"),
            std::string::npos);
}

TEST(NewCommand, MakesARigThatChecksAndRuns) {
  const TempDir dir;
  ASSERT_EQ(run(tactus({"new", "rig", "stand", "--to", "other"}, dir.path())).status, 0);
  const Finished check = run(tactus({"check", "other/stand.yaml"}, dir.path()));
  EXPECT_EQ(check.status, 0) << check;
  const Finished ran = run(
      tactus(Arguments{"run", "other/stand.yaml", "--no-realtime", "--out", "out"} + patient(), dir.path()));
  EXPECT_EQ(ran.status, 0) << ran;
  EXPECT_TRUE(fs::exists(dir / "out/signals.csv"));
}

TEST(NewCommand, MakesADriverOfEachKind) {
  const TempDir dir;
  for (const char* const kind : {"model", "format", "clock"}) {
    const std::string name = std::string("my_") + kind;
    const Finished done = run(tactus({"new", "driver", name, "--kind", kind}, dir.path()));
    ASSERT_EQ(done.status, 0) << done;
    const std::vector<std::string> expected{"CMakeLists.txt", "README.md", name + ".cpp", name + ".yaml"};
    EXPECT_EQ(files_of(dir / name), expected);
    for (const std::string& file : expected)
      EXPECT_EQ(read_file(dir / name / file).find('@'), std::string::npos) << file;
  }
}

TEST(NewCommand, RefusesWhatWouldNotBuildAndOverwritesNothing) {
  const TempDir dir;
  dir.write("there/file", "mine");
  struct Row {
    Arguments arguments;
    const char* expected;
  };
  const Row rows[] = {
      {{"model", "Pump"}, "the name 'Pump'"},
      {{"model", "2pumps"}, "the name '2pumps'"},
      {{"model", "../pump"}, "the name '../pump'"},
      {{"model", "a_name_that_has_28_letters__"}, "27 at most"},
      {{"modle", "pump"}, "there is no kind 'modle'; did you mean 'model'?"},
      {{"model", "there"}, "there: is there already"},
      {{"driver", "pump"}, "of what kind is the driver? --kind model"},
      {{"driver", "pump", "--kind", "fromat"},
       "there is no kind 'fromat' of drivers; did you mean 'format'?"},
      {{"model", "pump", "--kind", "model"}, "--kind is for drivers alone"},
      {{"rig", "pump", "--to", "no/where"}, "no/where: No such file or directory"},
  };
  for (const Row& row : rows) {
    const Finished done = run(tactus(Arguments{"new"} + row.arguments, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find(row.expected), std::string::npos) << row.expected << "\n" << done;
  }
  EXPECT_EQ(read_file(dir / "there/file"), "mine");
  EXPECT_EQ(files_of(dir.path()), std::vector<std::string>{"there"});
}

}  // namespace
}  // namespace tactus::new_test
