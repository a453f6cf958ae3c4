// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/end_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::executive::end_line_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

EndLine line_with(const std::string& reason) {
  EndLine line;
  line.begin = "servo: overrun after 201 frames";
  line.figures = {{"late p50 12.3 us max 2.31 ms", "late p50 12.3 us max \x1b[31m2.31 ms\x1b[0m"},
                  {"3 overruns", "\x1b[31m3 overruns\x1b[0m"},
                  {"12 late wakes", "12 late wakes"},
                  {"4 slots lost", "4 slots lost"}};
  line.reason = reason;
  line.folder = "runs/servo-20261127-171413";
  return line;
}

std::size_t shown_characters(const std::string& line) {
  std::size_t count = 0;
  bool color = false;
  for (const char byte : line) {
    color = color || byte == '\x1b';
    if (!color && (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U) ++count;
    if (byte == 'm') color = false;
  }
  return count;
}

TEST(EndLine, HoldsAllThatIsKnownWhereItMay) {
  EXPECT_EQ(line_with("frame 200: an end").whole(),
            "servo: overrun after 201 frames, late p50 12.3 us max \x1b[31m2.31 ms\x1b[0m, \x1b[31m3 "
            "overruns\x1b[0m, "
            "12 late wakes, 4 slots lost; frame 200: an end; runs/servo-20261127-171413");
}

TEST(EndLine, LeavesFiguresOutBeforeItCutsTheReason) {
  const EndLine line = line_with("frame 200: an overrun of 2.52 ms reached max_overrun; computed: load.step");
  EXPECT_EQ(
      line.brief(),
      "servo: overrun after 201 frames; frame 200: an overrun of 2.52 ms reached max_overrun; computed: "
      "load.step; details: log.txt in runs/servo-20261127-171413");
  EXPECT_THAT(line_with("frame 200: stop").brief(), HasSubstr("3 overruns\x1b[0m, 12 late wakes; frame 200"));
}

TEST(EndLine, FitsATerminalWhateverTheReason) {
  for (std::size_t length = 0; length < 400; ++length) {
    std::string reason;
    while (reason.size() < length) reason += reason.size() % 7 == 3 ? "\xc3\xbc" : "x";
    for (const bool verdict : {false, true}) {
      EndLine line = line_with(reason);
      if (verdict)
        line.verdicts = {{"fails: 3 overruns (--fail-on)", "\x1b[31mfails: 3 overruns (--fail-on)\x1b[0m"}};
      EXPECT_LE(shown_characters(line.brief()), EndLine::kMost) << length;
      EXPECT_THAT(line.brief(), StartsWith(line.begin));
      EXPECT_THAT(line.brief(), EndsWith("; details: log.txt in " + line.folder));
      EXPECT_EQ(line.brief().find("(--fail-on)") != std::string::npos, verdict);
    }
  }
}

TEST(EndLine, NeverCutsTheFolderNorTheFirstOfTheReason) {
  EndLine line = line_with("frame 200: an overrun of 2.52 ms reached max_overrun");
  line.folder = std::string(200, 'f');
  EXPECT_THAT(line.brief(), HasSubstr("; frame 200: an overrun of 2.52 ms re..."));
  EXPECT_THAT(line.brief(), EndsWith(line.folder));
  EXPECT_THAT(line_with("two\nlines").brief(), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace tactus::executive::end_line_test
