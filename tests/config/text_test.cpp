// SPDX-License-Identifier: Apache-2.0
#include "config/text.hpp"

#include <gtest/gtest.h>

namespace tactus::config::text_test {
namespace {

TEST(Show, KeepsMessagesOnOneShortLine) {
  EXPECT_EQ(show("a\nb\tc\x01"), "'a\\nb\\tc\\x01'");
  EXPECT_EQ(show(std::string(100, 'x')), std::string{"'"}.append(60, 'x').append("...'"));
}

TEST(Show, NeverCutsACharacterInTwo) {
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  EXPECT_EQ(show(umlauts), std::string{"'"}.append(umlauts, 0, 120).append("...'"));
}

TEST(OneLine, IsValidUtf8WithoutControlCharacters) {
  const struct {
    std::string_view text, expected;
    const char* why;
  } rows[] = {
      {"µ, ü, €, 𝄞", "µ, ü, €, 𝄞", "characters of 2, 3 and 4 bytes stay"},
      {"a\nb\x1b[31mc", "a\\nb\\x1b[31mc", "what a terminal would obey"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m", "C1: CSI as one character"},
      {"ung\xfcltig", "ung\\xfcltig", "Latin-1"},
      {"\xff\xfe", "\\xff\\xfe", "no UTF-8 at all"},
      {"cut \xe2\x82", "cut \\xe2\\x82", "cut in the middle of a character"},
      {"\xc0\xaf", "\\xc0\\xaf", "longer than needed"},
      {"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "likewise"},
      {"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf", "likewise"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80", "a surrogate"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "beyond U+10FFFF"},
  };
  for (const auto& row : rows) EXPECT_EQ(one_line(row.text), row.expected) << row.why;
}

TEST(OneLine, EscapesWhatChangesTheDirectionOfAText) {
  EXPECT_EQ(one_line("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(one_line("\u2066\u061c\u200f"), "\\xe2\\x81\\xa6\\xd8\\x9c\\xe2\\x80\\x8f");
  EXPECT_EQ(one_line("\u0434\u2026"), "\u0434\u2026") << "letters and dots are not touched";
}

TEST(PlainLines, KeepLineEndsAndOurOwnColoursAlone) {
  EXPECT_EQ(plain_lines("a\n\tb\x1b[31mc\x1b]0;t\a"), "a\n\tb\\x1b[31mc\\x1b]0;t\\x07");
  constexpr std::string_view kRed[] = {"\x1b[31m"};
  EXPECT_EQ(plain_lines("\x1b[31mred\x1b[2J", kRed), "\x1b[31mred\\x1b[2J");
  EXPECT_EQ(plain_lines("\u009b2J\r"), "\\xc2\\x9b2J\\x0d");
  EXPECT_EQ(plain_lines("\u00e9\n\u00e9"), "\u00e9\n\u00e9");
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> known{"priority", "period", "cpu", "name"};
  struct Row {
    const char* word;
    const char* expected;
    const char* why;
  };
  const Row rows[] = {
      {"prioritty", "priority", "a letter too many"},
      {"pirority", "priority", "two letters swapped"},
      {"priorit", "priority", "a letter lost"},
      {"cpus", "cpu", "a plural"},
      {"Name", "name", "a capital letter"},
      {"colour", "", "nothing is close"},
      {"xy", "", "a short word is close to everything and to nothing"},
      {"", "", "no word"},
  };
  for (const Row& row : rows) EXPECT_EQ(nearest(row.word, known), row.expected) << row.why;
  EXPECT_EQ(nearest(std::string(1000000, 'x'), known), "") << "a huge word costs nothing";
  const std::vector<std::string> variables{"motor.angle", "motor.speed", "trajectory.speed"};
  EXPECT_EQ(nearest("motor.sped", variables), "motor.speed");
  EXPECT_EQ(nearest("moter.speed", variables), "motor.speed");
  EXPECT_EQ(nearest("motor.nope", variables), "") << "that both are of the motor makes them not alike";
}

TEST(Hint, ListsWhatIsKnownWhenNothingIsClose) {
  EXPECT_EQ(hint("zzz", {"a", "b"}), "known are 'a', 'b'");
  EXPECT_EQ(hint("cpuu", {"cpu"}), "did you mean 'cpu'?");
  EXPECT_EQ(hint("x", {}), "none is known");
}

TEST(IsName, TakesLettersDigitsUnderscoreAndDash) {
  for (const char* good : {"motor", "motor-2", "_x", "24V", "a"}) EXPECT_TRUE(is_name(good)) << good;
  for (const char* bad : {"", "a.b", "a b", "ü", "a[0]", "a\n"}) EXPECT_FALSE(is_name(bad)) << bad;
  EXPECT_FALSE(is_name(std::string(65, 'a')));
}

TEST(Text, IsTrimmedOfBlanksOnly) {
  struct Row {
    std::string_view text;
    std::string_view of_blanks;
    std::string_view of_white_space;
  };
  const Row rows[] = {
      {"", "", ""},         {" \t ", "", ""},
      {"a", "a", "a"},      {"\t a b\t", "a b", "a b"},
      {" a\n", "a\n", "a"}, {"\r\n a\v\f", "\r\n a\v\f", "a"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(trimmed(row.text), row.of_blanks) << show(row.text);
    EXPECT_EQ(rtsync::trimmed(row.text), row.of_white_space) << show(row.text);
  }
}

}  // namespace
}  // namespace tactus::config::text_test
