// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/run_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.hpp"

namespace tactus::executive::run_log_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RunLog, IsOfABoundedSizeAndSaysOnceThatItIsFull) {
  const tactus::test::TempDir dir;
  RunLog log(dir / "log.txt", 10'000);
  for (int k = 0; k < 1000; ++k) {
    log.info("a line of this log");
    log.warn("a warning of this log");
  }
  log.last_word("ended after 7 frames");
  log.flush();
  const std::string text = text_of(dir / "log.txt");
  EXPECT_GT(text.size(), 9'000U);
  EXPECT_LT(text.size(), 11'000U) << "and room for two lines about it";
  EXPECT_EQ(count(text, "the log has reached log.max_size (10000 bytes)"), 1U);
  EXPECT_THAT(text, EndsWith("ended after 7 frames\n")) << "how it ended is always told";
  EXPECT_EQ(count(text, "of this log") + static_cast<std::size_t>(log.left_out()), 2000U);
}

TEST(RunLog, DoesNotFollowALink) {
  const tactus::test::TempDir dir;
  dir.write("victim", "as it was");
  std::filesystem::create_symlink(dir / "victim", dir / "log.txt");
  EXPECT_THROW(RunLog(dir / "log.txt", 10'000), std::runtime_error);
  EXPECT_EQ(text_of(dir / "victim"), "as it was");
}

TEST(RunLog, WithRoomItLeavesNothingOut) {
  const tactus::test::TempDir dir;
  RunLog log(dir / "log.txt", 10'000);
  for (int k = 0; k < 100; ++k) log.info("a line");
  log.flush();
  EXPECT_EQ(count(text_of(dir / "log.txt"), "a line"), 100U);
  EXPECT_EQ(log.left_out(), 0);
}

}  // namespace
}  // namespace tactus::executive::run_log_test
