// SPDX-License-Identifier: Apache-2.0
#include "executive/record/whole_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "executive/record/folder_lock.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::whole_lines_test {
namespace {

using tactus::test::TempDir;

bool no_question(std::string_view line) { return line.find('?') == std::string_view::npos; }

TEST(WholeLines, EndWhereTheLastWholeOneEnds) {
  struct Row {
    std::string text;
    std::uint64_t whole, lines, damaged, first_bad;
    const char* why;
  };
  const Row rows[] = {
      {"", 0, 0, 0, 0, "nothing is whole"},
      {"a\nbc\n", 5, 2, 0, 0, "all of it"},
      {"a\nbc", 2, 1, 0, 0, "a line without its end is torn"},
      {"abc", 0, 0, 0, 0, "even if it is the first"},
      {"a\n?\n?\n", 2, 1, 0, 0, "nor are lines that are refused, to the end"},
      {"a\n?\nb\n?\nc\nd", 10, 3, 2, 2, "refused ones before a whole one are damage, and stay"},
      {std::string("a\nb\0\n", 5), 2, 1, 0, 0, "a zero byte is in no whole line"},
  };
  const TempDir folder;
  for (const Row& row : rows) {
    const WholeLines found = examine_lines(folder.write("lines", row.text), &no_question);
    EXPECT_EQ(found.bytes, row.text.size()) << row.why;
    EXPECT_EQ(found.whole, row.whole) << row.why;
    EXPECT_EQ(found.lines, row.lines) << row.why;
    EXPECT_EQ(found.damaged, row.damaged) << row.why;
    EXPECT_EQ(found.first_bad, row.first_bad) << row.why;
  }
}

TEST(WholeLines, MayBeLongerThanWhatIsReadAtOnce) {
  const TempDir folder;
  const std::string line(3'000'000, 'x');
  std::uint64_t longest = 0;
  const WholeLines found =
      examine_lines(folder.write("lines", "a\n" + line + "\n" + line), [&](std::string_view each) {
        longest = std::max<std::uint64_t>(longest, each.size());
        return true;
      });
  EXPECT_EQ(longest, line.size());
  EXPECT_EQ(found.lines, 2U);
  EXPECT_EQ(found.whole, line.size() + 3);
  EXPECT_EQ(found.bytes, 2 * line.size() + 3);
}

TEST(WholeLines, OfAFileThatCannotBeReadAreAnError) {
  const TempDir folder;
  EXPECT_THROW(examine_lines(folder / "none", &no_question), std::runtime_error);
  EXPECT_THROW(examine_lines(folder.path(), &no_question), std::runtime_error) << "a folder";
}

TEST(FolderLock, IsTakenOnceAndGivenBack) {
  const TempDir folder;
  {
    const FolderLock first(folder.path());
    EXPECT_FALSE(first.taken_by_another());
    const FolderLock second(folder.path());
    EXPECT_TRUE(second.taken_by_another());
    EXPECT_EQ(FolderLock::holder_of(folder.path()), ::getpid());
  }
  EXPECT_EQ(FolderLock::holder_of(folder.path()), 0);
  EXPECT_EQ(FolderLock::holder_of(folder / "none"), 0);
  EXPECT_FALSE(FolderLock(folder.path()).taken_by_another());
  EXPECT_FALSE(FolderLock(folder / "none").taken_by_another());
}

}  // namespace
}  // namespace tactus::executive::whole_lines_test
