// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tactus::test {
namespace {

/// That of the test that runs. A '/' in the name of a test with parameters is no folder.
std::filesystem::path file_of_test() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test.test_suite_name()) + "." + test.name();
  std::ranges::replace(name, '/', '-');
  return std::filesystem::path(TACTUS_TEXTS) / (name + ".expected");
}

}  // namespace

void Snapshot::add(std::string_view text, std::string_view what) {
  seen_.append(what.empty() ? "%%%" : "%%% ").append(what).append("\n").append(text).append("\n");
}

void Snapshot::add(const std::vector<std::string>& lines, std::string_view what) {
  std::string text;
  for (const std::string& line : lines) text.append(text.empty() ? "" : "\n").append(line);
  add(text, what);
}

Snapshot::~Snapshot() {
  if (::testing::Test::IsSkipped()) return;
  const std::filesystem::path file = file_of_test();
  if (std::getenv("TACTUS_WRITE_MESSAGES") != nullptr) {
    std::ofstream(file, std::ios::binary) << seen_;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(seen_, expected) << file
                             << "; where the new text is meant: TACTUS_WRITE_MESSAGES=1, then git diff";
}

}  // namespace tactus::test
