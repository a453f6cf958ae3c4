// SPDX-License-Identifier: Apache-2.0
#include "executive/record/line_reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace tactus::executive::line_reader_test {
namespace {

using tactus::test::TempDir;

TEST(LineReader, SkipsALineThatIsTooLongAndKeepsItsMemory) {
  const TempDir dir;
  std::string text = "first\n";
  text += std::string(3 * LineReader::kLongest, 'x') + "\n";
  text += std::string(LineReader::kLongest + 1, 'y') + "\n" + "last\ntorn";
  LineReader lines(dir.write("long", text));
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(lines.too_long(), 2U);
  EXPECT_EQ(lines.torn_bytes(), 4U);
}

TEST(LineReader, ReadsTheSameLinesWhateverTheSizesAre) {
  std::mt19937 random(7);
  const TempDir dir;
  for (int round = 0; round < 6; ++round) {
    std::vector<std::string> wanted;
    std::string text;
    const std::size_t most = round % 2 == 0 ? 40 : LineReader::kLongest / 2;
    while (text.size() < 5 * LineReader::kLongest && wanted.size() < 200'000) {
      wanted.emplace_back(std::uniform_int_distribution<std::size_t>(0, most)(random), 'a');
      text += wanted.back() + "\n";
    }
    LineReader lines(dir.write("f" + std::to_string(round), text));
    std::size_t at = 0;
    for (std::string_view line; lines.next(line); ++at) ASSERT_EQ(line, wanted.at(at));
    EXPECT_EQ(at, wanted.size());
    EXPECT_EQ(lines.torn_bytes(), 0U);
  }
}

TEST(LineReader, RefusesWhatIsNoFile) {
  const TempDir dir;
  EXPECT_THROW(LineReader(dir.path()), std::runtime_error);
  EXPECT_THROW(LineReader(dir / "none"), std::runtime_error);
  EXPECT_THROW(LineReader("/dev/zero"), std::runtime_error);
}

TEST(LineReader, TakesALongerLineWhereItIsAllowed) {
  const TempDir dir;
  const std::string longest(5 * LineReader::kLongest, 'x');
  LineReader lines(dir.write("long", "first\n" + longest + "\n" + longest + "y\nlast\n"), longest.size());
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"first", longest, "last"}));
  EXPECT_EQ(lines.too_long(), 1U);
}

}  // namespace
}  // namespace tactus::executive::line_reader_test
