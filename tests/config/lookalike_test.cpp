// SPDX-License-Identifier: Apache-2.0
/// What word processors and other countries make of numbers, and how a message shows it.
#include "config/lookalike.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/number.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"
#include "config/unit.hpp"

namespace tactus::config::lookalike_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Lookalike, IsShownByItsCodeAndNamed) {
  const struct {
    const char* text;
    const char* shown;
    const char* says;
  } rows[] = {
      {"5\u00a0ms", "'5\\u00a0ms'", "holds a no-break space (U+00A0); write a plain space"},
      {"5\u202fms", "'5\\u202fms'", "a narrow no-break space (U+202F)"},
      {"5\u2009ms", "'5\\u2009ms'", "a space of another width (U+2009)"},
      {"\ufeff5 ms", "'\\ufeff5 ms'", "a space without width (U+FEFF); remove it"},
      {"\u201c5 ms\u201d", "'\\u201c5 ms\\u201d'", "a typographic quote (U+201C)"},
      {"\u00ab5 ms\u00bb", "'\\u00ab5 ms\\u00bb'", "a typographic quote (U+00AB)"},
      {"\u22125 ms", "'\\u22125 ms'", "a minus sign of mathematics (U+2212); write a plain -"},
      {"1\u20442 ms", "'1\\u20442 ms'", "a fraction slash (U+2044)"},
      {"5\u200e ms", "'5\\xe2\\x80\\x8e ms'", "a mark of direction (U+200E); remove it"},
      {"1\u02bc000 ms", "'1\\u02bc000 ms'", "a typographic quote (U+02BC)"},
      {"1\u00b4000 ms", "'1\\u00b4000 ms'", "an acute accent (U+00B4)"},
      {"1\u066c5 ms", "'1\\u066c5 ms'", "a sign of thousands of another script (U+066C); remove it"},
      {"1\u066b5 ms", "'1\\u066b5 ms'", "a decimal sign of another script (U+066B); write a plain point"},
      {"\u06f5 ms", "'\\u06f5 ms'", "a digit of another script (U+06F5)"},
      {"\ufe635 ms", "'\\ufe635 ms'", "a small minus (U+FE63); write a plain -"},
      {"5 \uff4ds", "'5 \\uff4ds'", "a full-width letter (U+FF4D)"},
      {"\uff15 ms", "'\\uff15 ms'", "a full-width digit (U+FF15); write 0 to 9"},
  };
  const Unit volt = Unit::parse("V");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.shown);
    EXPECT_EQ(show(row.text), row.shown);
    for (const std::string& problem :
         {parse_duration(row.text).problem, parse_period(row.text).problem, parse_bytes(row.text).problem,
          parse_ratio(row.text).problem, parse_percent(row.text).problem,
          parse_count(row.text, "frames").problem, parse_integer(row.text).problem,
          parse_real(row.text).problem, parse_bool(row.text).problem, parse_cpus(row.text).problem,
          to_unit(row.text, volt).problem}) {
      EXPECT_THAT(problem, HasSubstr(row.shown));
      EXPECT_THAT(problem, HasSubstr(row.says));
    }
  }
}

TEST(Lookalike, IsNoLetterOfAUnitOrAName) {
  for (const char* const text : {"5 µs", "5 μs", "20 °C", "3 Ω", "4 m²", "Prüfstand", "日本", "5 ms"})
    EXPECT_THAT(lookalike_problem(text), IsEmpty()) << text;
  EXPECT_EQ(parse_duration("5 µs").value, Nanoseconds{5000});
  for (const std::string& broken : {std::string("\xc2"), std::string("\xe2\x80"), std::string("\xff")})
    EXPECT_THAT(lookalike_problem(broken), IsEmpty());
}

TEST(Lookalike, IsNoPointAtHalfHeightInAUnit) {
  EXPECT_EQ(to_unit("5 N\u00b7m", Unit::parse("N m")).value, 5);
  EXPECT_EQ(to_unit("120 g\u00b7cm\u00b2", Unit::parse("g cm^2")).value, 120);
  EXPECT_EQ(show("5 N\u00b7m"), "'5 N\u00b7m'");
  for (const std::string& problem :
       {parse_duration("1\u00b75 ms").problem, to_unit("-1\u00b75 V", Unit::parse("V")).problem})
    EXPECT_THAT(problem, HasSubstr("has a point at half height (U+00B7) as its decimal sign; write a plain "
                                   "point: '"));
}

TEST(DecimalComma, GetsTheNumberAsItShouldBe) {
  EXPECT_THAT(parse_duration("1,5 ms").problem,
              HasSubstr("'1,5 ms' has a decimal comma; the decimal sign is a point: '1.5 ms'"));
  EXPECT_THAT(parse_period("16,67 ms").problem, HasSubstr("'16.67 ms'"));
  EXPECT_THAT(parse_bytes("1,5 MiB").problem, HasSubstr("'1.5 MiB'"));
  EXPECT_THAT(parse_ratio("0,5x").problem, HasSubstr("'0.5x'"));
  EXPECT_THAT(parse_percent("12,5 %").problem, HasSubstr("'12.5 %'"));
  EXPECT_THAT(parse_real("-1,5").problem, HasSubstr("'-1.5'"));
  EXPECT_THAT(to_unit("2,4 V", Unit::parse("V")).problem, HasSubstr("'2.4 V'"));
  EXPECT_THAT(parse_duration("1,500 us").problem,
              HasSubstr("'1.500 us', or, if thousands are meant, '1500 us'"));
  EXPECT_THAT(parse_duration("0,001 s").problem, ::testing::EndsWith("'0.001 s'")) << "no group of three";
  EXPECT_THAT(parse_duration("1234,567 us").problem, ::testing::EndsWith("'1234.567 us'"));
  EXPECT_THAT(parse_duration("1,000,000 us").problem, HasSubstr("write its digits without them"));
  EXPECT_EQ(parse_cpus("0,2").value, (std::vector<int>{0, 2})) << "a list, not a number";
}

TEST(DigitGroups, GetTheNumberAsItShouldBe) {
  EXPECT_THAT(parse_duration("1'000 us").problem, HasSubstr("has its digits in groups; write '1000 us'"));
  EXPECT_THAT(parse_period("1 000 us").problem, HasSubstr("write '1000 us'"));
  EXPECT_THAT(parse_duration("1_000_000 ns").problem, HasSubstr("write '1000000 ns'"));
  EXPECT_THAT(parse_real("-1 000,5").problem, HasSubstr("write '-1000.5'"));
  EXPECT_THAT(parse_integer("10'000").problem, HasSubstr("write '10000'"));
  EXPECT_THAT(to_unit("1 000 V", Unit::parse("V")).problem, HasSubstr("write '1000 V'"));
  for (const char* const several : {"1.000,5 ms", "1.000.000 us"})
    EXPECT_THAT(parse_duration(several).problem, HasSubstr("has several decimal signs")) << several;
  EXPECT_THAT(parse_period("60 000/1001 Hz").problem, HasSubstr("write '60000/1001 Hz'"));
  EXPECT_THAT(parse_period("60'000/1'001 Hz").problem, HasSubstr("write '60000/1001 Hz'"));
  EXPECT_THAT(parse_period("60000/1 001 Hz").problem, HasSubstr("write '60000/1001 Hz'"));
  EXPECT_THAT(parse_period("1 000/3 us").problem, HasSubstr("write '1000/3 us'"));
  EXPECT_EQ(to_unit("5 1/s", Unit::parse("1/s")).value, 5) << "a unit that begins with a digit";
  EXPECT_EQ(to_unit("60 1/min", Unit::parse("1/s")).value, 1);
}

}  // namespace
}  // namespace tactus::config::lookalike_test
