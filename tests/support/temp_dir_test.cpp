// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace tactus::test::temp_dir_test {
namespace {

TEST(TempDir, IsEmptyAndLeavesNothingBehind) {
  std::filesystem::path place;
  {
    const TempDir dir;
    place = dir.path();
    EXPECT_TRUE(std::filesystem::is_empty(place));
    dir.write("a/b/c.txt", "text");
  }
  EXPECT_FALSE(std::filesystem::exists(place));
}

TEST(TempDir, TwoAreNeverTheSame) {
  const TempDir one;
  const TempDir other;
  EXPECT_NE(one.path(), other.path());
}

TEST(TempDir, WhatIsWrittenIsRead) {
  const TempDir dir;
  EXPECT_EQ(read_file(dir.write("rig.yaml", "rig: a\n")), "rig: a\n");
  EXPECT_EQ(read_file(dir.write("empty", "")), "");
  EXPECT_THROW(read_file(dir / "absent"), std::runtime_error);
}

}  // namespace
}  // namespace tactus::test::temp_dir_test
