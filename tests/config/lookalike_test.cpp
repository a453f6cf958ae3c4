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
#include "tests/support/snapshot.hpp"

namespace tactus::config::lookalike_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Lookalike, IsShownByItsCodeAndNamed) {
  tactus::test::Snapshot texts;
  const struct {
    const char* text;
    const char* shown;
  } rows[] = {
      {"5\u00a0ms", "'5\\u00a0ms'"},
      {"5\u202fms", "'5\\u202fms'"},
      {"5\u2009ms", "'5\\u2009ms'"},
      {"\ufeff5 ms", "'\\ufeff5 ms'"},
      {"\u201c5 ms\u201d", "'\\u201c5 ms\\u201d'"},
      {"\u00ab5 ms\u00bb", "'\\u00ab5 ms\\u00bb'"},
      {"\u22125 ms", "'\\u22125 ms'"},
      {"1\u20442 ms", "'1\\u20442 ms'"},
      {"5\u200e ms", "'5\\xe2\\x80\\x8e ms'"},
      {"1\u02bc000 ms", "'1\\u02bc000 ms'"},
      {"1\u00b4000 ms", "'1\\u00b4000 ms'"},
      {"1\u066c5 ms", "'1\\u066c5 ms'"},
      {"1\u066b5 ms", "'1\\u066b5 ms'"},
      {"\u06f5 ms", "'\\u06f5 ms'"},
      {"\ufe635 ms", "'\\ufe635 ms'"},
      {"5 \uff4ds", "'5 \\uff4ds'"},
      {"\uff15 ms", "'\\uff15 ms'"},
  };
  const Unit volt = Unit::parse("V");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.shown);
    texts.add(parse_duration(row.text).problem);
    EXPECT_EQ(show(row.text), row.shown);
    for (const std::string& problem :
         {parse_duration(row.text).problem, parse_period(row.text).problem, parse_bytes(row.text).problem,
          parse_ratio(row.text).problem, parse_percent(row.text).problem,
          parse_count(row.text, "frames").problem, parse_integer(row.text).problem,
          parse_real(row.text).problem, parse_bool(row.text).problem, parse_cpus(row.text).problem,
          to_unit(row.text, volt).problem}) {
      EXPECT_THAT(problem, HasSubstr(row.shown));
      EXPECT_THAT(problem, HasSubstr(lookalike_problem(row.text)));
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
  tactus::test::Snapshot texts;
  EXPECT_EQ(to_unit("5 N\u00b7m", Unit::parse("N m")).value, 5);
  EXPECT_EQ(to_unit("120 g\u00b7cm\u00b2", Unit::parse("g cm^2")).value, 120);
  EXPECT_EQ(show("5 N\u00b7m"), "'5 N\u00b7m'");
  for (const std::string& problem :
       {parse_duration("1\u00b75 ms").problem, to_unit("-1\u00b75 V", Unit::parse("V")).problem})
    texts.add(problem);
}

TEST(DecimalComma, GetsTheNumberAsItShouldBe) {
  tactus::test::Snapshot texts;
  texts.add(parse_duration("1,5 ms").problem);
  EXPECT_THAT(parse_period("16,67 ms").problem, HasSubstr("'16.67 ms'"));
  EXPECT_THAT(parse_bytes("1,5 MiB").problem, HasSubstr("'1.5 MiB'"));
  EXPECT_THAT(parse_ratio("0,5x").problem, HasSubstr("'0.5x'"));
  EXPECT_THAT(parse_percent("12,5 %").problem, HasSubstr("'12.5 %'"));
  EXPECT_THAT(parse_real("-1,5").problem, HasSubstr("'-1.5'"));
  EXPECT_THAT(to_unit("2,4 V", Unit::parse("V")).problem, HasSubstr("'2.4 V'"));
  texts.add(parse_duration("1,500 us").problem);
  EXPECT_THAT(parse_duration("0,001 s").problem, ::testing::EndsWith("'0.001 s'")) << "no group of three";
  EXPECT_THAT(parse_duration("1234,567 us").problem, ::testing::EndsWith("'1234.567 us'"));
  texts.add(parse_duration("1,000,000 us").problem);
  EXPECT_EQ(parse_cpus("0,2").value, (std::vector<int>{0, 2})) << "a list, not a number";
}

TEST(DigitGroups, GetTheNumberAsItShouldBe) {
  tactus::test::Snapshot texts;
  texts.add(parse_duration("1'000 us").problem);
  texts.add(parse_period("1 000 us").problem);
  texts.add(parse_duration("1_000_000 ns").problem);
  texts.add(parse_real("-1 000,5").problem);
  texts.add(parse_integer("10'000").problem);
  texts.add(to_unit("1 000 V", Unit::parse("V")).problem);
  for (const char* const several : {"1.000,5 ms", "1.000.000 us"})
    texts.add(parse_duration(several).problem, several);
  texts.add(parse_period("60 000/1001 Hz").problem);
  texts.add(parse_period("60'000/1'001 Hz").problem);
  texts.add(parse_period("60000/1 001 Hz").problem);
  texts.add(parse_period("1 000/3 us").problem);
  EXPECT_EQ(to_unit("5 1/s", Unit::parse("1/s")).value, 5) << "a unit that begins with a digit";
  EXPECT_EQ(to_unit("60 1/min", Unit::parse("1/s")).value, 1);
}

}  // namespace
}  // namespace tactus::config::lookalike_test
