// SPDX-License-Identifier: Apache-2.0
/// What `tactus check` prints for rig files with mistakes: tests/messages/NAME.yaml, and its text in NAME.expected.
/// A case may hold several files, each after a line "%%% what is wrong".
///
///     TACTUS_WRITE_MESSAGES=1 build/dev/bin/rig_test --gtest_filter='All/Messages.*'
///
/// writes each NAME.expected anew; `git diff tests/messages` then shows every sentence that changed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "in_process.hpp"
#include "rig_command.hpp"

namespace tactus::test::messages_test {
namespace {

namespace fs = std::filesystem;

/// Names of the cases in the order of the alphabet.
std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TACTUS_MESSAGES))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Folder of the drivers of this build.
fs::path drivers() { return fs::path(TACTUS_COMMAND).parent_path().parent_path() / "lib" / "tactus"; }

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Driver in the first line of a case ("# needs tactus-link-silkit") that this build lacks; empty: none.
std::string missing_driver(const std::string& text) {
  const std::string needs = "# needs ";
  if (!text.starts_with(needs)) return "";
  const std::string driver = text.substr(needs.size(), text.find('\n') - needs.size());
  return fs::exists(drivers() / ("lib" + driver + ".so")) ? "" : driver;
}

/// Standard error of `tactus check` on a rig file, without the paths of this machine and its notes on slowness.
std::string messages_of(const std::string& name, const std::string& rig) {
  const TempDir folder;
  for (const auto& entry : fs::directory_iterator(TACTUS_TEST_LIBRARIES))
    if (entry.path().extension() == ".so")
      fs::create_symlink(entry.path(), folder / entry.path().filename().string());
  (void)folder.write(name + ".yaml", rig);
  const Finished done = run_in_process(tactus({"check", name + ".yaml"}, folder.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_EQ(done.out, "") << done;
  std::string text;
  for (std::size_t from = 0, end = 0; (end = done.err.find('\n', from)) != std::string::npos; from = end + 1)
    if (const std::string line = done.err.substr(from, end - from); !line.starts_with("tactus: waiting for "))
      text += line + "\n";
  replace_all(text, drivers().string(), "DRIVERS");
  replace_all(text, fs::canonical(folder.path()).string(), "FOLDER");
  replace_all(text, folder.path().string(), "FOLDER");
  return text;
}

/// Text of a whole case: of its file, or of each of its files after the line that names it.
std::string messages_of_case(const std::string& name) {
  constexpr std::string_view kNext = "%%% ";
  std::string rest = read_file(fs::path(TACTUS_MESSAGES) / (name + ".yaml"));
  if (!rest.starts_with(kNext)) return messages_of(name, rest);
  std::string text;
  while (!rest.empty()) {
    const std::size_t begin = rest.find('\n') + 1;
    const std::size_t next = rest.find("\n" + std::string(kNext), begin - 1);
    const std::size_t end = next == std::string::npos ? rest.size() : next + 1;
    text += rest.substr(0, begin) + messages_of(name, rest.substr(begin, end - begin));
    rest.erase(0, end);
  }
  return text;
}

class Messages : public ::testing::TestWithParam<std::string> {};

TEST_P(Messages, AreThoseOfTheSnapshot) {
  const std::string missing = missing_driver(read_file(fs::path(TACTUS_MESSAGES) / (GetParam() + ".yaml")));
  if (!missing.empty()) GTEST_SKIP() << "the build left " << missing << " out";
  const std::string text = messages_of_case(GetParam());
  const fs::path expected = fs::path(TACTUS_MESSAGES) / (GetParam() + ".expected");
  if (std::getenv("TACTUS_WRITE_MESSAGES") != nullptr) {
    std::ofstream(expected, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, read_file(expected)) << "if the new text is meant: TACTUS_WRITE_MESSAGES=1, then git diff";
}

INSTANTIATE_TEST_SUITE_P(All, Messages, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tactus::test::messages_test
