// SPDX-License-Identifier: Apache-2.0
/// Paths of a rig file's keys, as the rig.yaml of a run folder has them.
#include "executive/driver/whole_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "config/document.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::whole_paths_test {
namespace {

namespace fs = std::filesystem;
using config::Section;
using config::Shape;

/// `table` is a file, and `log` a section with a file, for which its text may stand.
Section section() {
  Shape file;
  file.type = kFileType;
  file.text = true;
  const auto shared = std::make_shared<const Shape>(file);
  const auto inside = std::make_shared<Section>();
  inside->keys.push_back({.key = "file", .shape = shared});
  inside->keys.push_back({.key = "channel", .shape = std::make_shared<const Shape>()});
  Shape log{.form = Shape::Form::section, .type = "map", .section = inside};
  log.others.push_back(shared);
  Section made;
  made.keys.push_back({.key = "table", .shape = shared});
  made.keys.push_back({.key = "log", .shape = std::make_shared<const Shape>(log)});
  made.keys.push_back({.key = "name", .shape = std::make_shared<const Shape>()});
  return made;
}

class WholePaths : public testing::Test {
 protected:
  /// The text at a key, or at a key of its section.
  std::string made(const std::string& yaml, const std::string& key, const std::string& inner = "") {
    const config::Document document = config::Document::from_text("rig.yaml", yaml);
    const config::Node whole = with_whole_paths(section(), document.root(), dir_.path());
    const config::Node* at = whole.find(key);
    if (!inner.empty()) at = at->find(inner);
    return at->text();
  }
  test::TempDir dir_;
};

TEST_F(WholePaths, OfFilesThatAreThere) {
  (void)dir_.write("a.txt", "");
  EXPECT_EQ(made("table: ./a.txt", "table"), (dir_ / "a.txt").string());
  EXPECT_EQ(made("table: b.txt", "table"), "b.txt");
  EXPECT_EQ(made("name: a.txt", "name"), "a.txt") << "no file";
}

TEST_F(WholePaths, OfTheTextThatStandsForASection) {
  (void)dir_.write("a.txt", "");
  EXPECT_EQ(made("log: { file: a.txt, channel: a.txt }", "log", "file"), (dir_ / "a.txt").string());
  EXPECT_EQ(made("log: { file: a.txt, channel: a.txt }", "log", "channel"), "a.txt");
  EXPECT_EQ(made("log: a.txt", "log"), (dir_ / "a.txt").string());
  EXPECT_EQ(made("log: b.txt", "log"), "b.txt");
}

TEST_F(WholePaths, BehindASymbolicLink) {
  fs::create_directories(dir_ / "real/sub");
  fs::create_directory_symlink("real/sub", dir_ / "link");
  (void)dir_.write("a.txt", "");
  (void)dir_.write("real/a.txt", "");
  EXPECT_TRUE(fs::equivalent(made("table: link/../a.txt", "table"), dir_ / "real/a.txt"));
  EXPECT_EQ(made("table: real/../a.txt", "table"), (dir_ / "a.txt").string());
}

}  // namespace
}  // namespace tactus::executive::whole_paths_test
