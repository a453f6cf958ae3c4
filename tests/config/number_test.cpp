// SPDX-License-Identifier: Apache-2.0
#include "config/number.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/snapshot.hpp"

namespace tactus::config::number_test {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(ParseDuration, IsExactFromDecimalText) {
  struct Row {
    const char* text;
    std::int64_t expected;
    const char* why;
  };
  const Row rows[] = {
      {"1 ms", 1'000'000, "the usual"},
      {"1ms", 1'000'000, "the blank may be left out"},
      {"250 us", 250'000, "microseconds"},
      {"250 µs", 250'000, "with the micro sign"},
      {"250 μs", 250'000, "with the Greek letter"},
      {"0.1 ms", 100'000, "a double would hold 0.1 only nearly"},
      {"0.3 s", 300'000'000, "likewise"},
      {"1.000000001 s", 1'000'000'001, "down to the nanosecond"},
      {"9007199.254740993 s", 9'007'199'254'740'993, "2^53 + 1 ns, which no double holds"},
      {"1.5 s", 1'500'000'000, "a fraction of a second"},
      {"2 min", 120'000'000'000, "minutes"},
      {"1 h", 3'600'000'000'000, "hours"},
      {"0.5 d", 43'200'000'000'000, "days"},
      {"1e3 us", 1'000'000, "an exponent"},
      {"1.00e-3 s", 1'000'000, "a negative exponent"},
      {".5 us", 500, "no digit before the point"},
      {"5. us", 5000, "none behind it"},
      {"0 s", 0, "nothing"},
      {"-0 s", 0, "nothing, backwards"},
      {"0e99999999999999999999 s", 0, "nothing, however far it is shifted"},
      {"-5 us", -5000, "negative; whether that is allowed is for a range to say"},
      {"0.00000000000000000000000001e26 ns", 1, "many zeros"},
      {"9223372036854775806 ns", kMax - 1, "the longest that is not for ever"},
      {"9223372036854775807 ns", kMax, "the longest"},
      {"for ever", kMax, "in words"},
      {"-9223372036854775808 ns", kMin, "the least"},
      {"0.000000000000000000000000000000000001 d", 0, ""},
  };
  for (const Row& row : rows) {
    const Parsed<Nanoseconds> parsed = parse_duration(row.text);
    if (*row.why == '\0') {
      EXPECT_FALSE(parsed);
      continue;
    }
    ASSERT_TRUE(parsed) << row.text << parsed.problem;
    EXPECT_EQ(parsed.value->count(), row.expected) << row.text << ": " << row.why;
  }
}

TEST(ParseDuration, RefusesWithTheTextThatIsWrong) {
  for (const std::string text :
       {"5", "0", "5 parsecs", "5 ms 3 us", "1/3 ms", "0.1 ns", "1e-40 s", "1e-999999999999 s",
        "9223372036854775808 ns", "9e18 s", "1e999999999999999999999 s", "-1e37 s", "soon", "nan s", "inf s",
        "- 5 us", "0x10 us", ""})
    EXPECT_TRUE(parse_duration(text).problem.starts_with("'" + text + "' ")) << text;
}

TEST(ParseDuration, TakesMegabytesOfDigitsInItsStride) {
  const std::string digits(2'000'000, '7');
  EXPECT_THAT(parse_duration(digits + " s").problem, ::testing::HasSubstr("the longest time there is"));
  EXPECT_FALSE(parse_duration("0." + digits + " s"));
}

TEST(ParsePeriod, IsAnExactFraction) {
  struct Row {
    const char* text;
    std::int64_t num;
    std::int64_t den;
    const char* why;
  };
  const Row rows[] = {
      {"1 ms", 1'000'000, 1, "a whole number"},
      {"60 Hz", 50'000'000, 3, "a third of a nanosecond matters after an hour"},
      {"1/3 ms", 1'000'000, 3, "a fraction"},
      {"1 / 3 ms", 1'000'000, 3, "with blanks"},
      {"128 Hz", 7'812'500, 1, "a power of two"},
      {"59.94 Hz", 50'000'000'000, 2997, "video, in decimal"},
      {"60000/1001 Hz", 50'050'000, 3, "video, exactly"},
      {"1 kHz", 1'000'000, 1, "kilohertz"},
      {"2.5 MHz", 400, 1, "megahertz"},
      {"100 mHz", 10'000'000'000, 1, "once in ten seconds"},
      {"0.1 ns", 1, 10, "finer than a nanosecond"},
      {"0.1 ms", 100'000, 1, "no double on the way"},
      {"1.5/4.5 ms", 1'000'000, 3, "decimals over decimals"},
      {"9223372036854775807 ns", kMax, 1, "the longest"},
  };
  for (const Row& row : rows) {
    const Parsed<Period> parsed = parse_period(row.text);
    ASSERT_TRUE(parsed) << row.text << parsed.problem;
    EXPECT_EQ(*parsed.value, Period(row.num, row.den)) << row.text << ": " << row.why;
  }
}

TEST(ParsePeriod, RefusesWithTheTextThatIsWrong) {
  for (const std::string text :
       {"1", "1/3", "0 ms", "0 Hz", "-1 ms", "1/-3 ms", "1/0 ms", "1/ ms", "1/2/3 ms", "1 fortnight",
        "1e37 s", "9223372036854775808 ns", "3.14159265358979323846264338 Hz", "1e-99999999999 Hz", "fast",
        "for ever"}) {
    const Parsed<Period> parsed = parse_period(text);
    EXPECT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.problem.starts_with("'" + text + "' ")) << parsed.problem;
  }
}

TEST(ParseInteger, IsDecimalAndFits) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(*parse_integer("80").value, 80);
  EXPECT_EQ(*parse_integer("+5").value, 5);
  EXPECT_EQ(*parse_integer("-0").value, 0);
  EXPECT_EQ(*parse_integer("007").value, 7) << "not octal";
  EXPECT_EQ(*parse_integer("9223372036854775807").value, kMax);
  EXPECT_EQ(*parse_integer("-9223372036854775808").value, kMin);
  for (const char* bad : {"", "x", "5x", "0x10", "5.0", "1e3", "9223372036854775808", "-9223372036854775809",
                          "- 5", "nan", "inf", "--5", "1_000", "1,000", "5 5"})
    EXPECT_FALSE(parse_integer(bad)) << bad;
  texts.add(parse_integer("0x10").problem);
  texts.add(parse_integer("5.5").problem);
  texts.add(parse_integer("9223372036854775808").problem);
}

TEST(ParseReal, IsFiniteAndDecimal) {
  EXPECT_EQ(*parse_real("0.1").value, 0.1);
  EXPECT_EQ(*parse_real("-1.5e3").value, -1500.0);
  EXPECT_EQ(*parse_real("+.5").value, 0.5);
  EXPECT_EQ(*parse_real("0e999999").value, 0.0);
  for (const char* bad :
       {"", "nan", "inf", "-inf", "0x1p3", "1e999", "1e-999", "1.5.5", "1,5", "5 V", "e5", ".", "1e"})
    EXPECT_FALSE(parse_real(bad)) << bad;
  EXPECT_NE(parse_real("1,5").problem.find("the decimal sign is a point"), std::string::npos);
  EXPECT_NE(parse_real("1e999").problem.find("is too large"), std::string::npos);
  EXPECT_NE(parse_real("1e-999").problem.find("is too close to 0"), std::string::npos);
}

TEST(ParseCount, MaySayWhatItCounts) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(*parse_count("5", "frames").value, 5);
  EXPECT_EQ(*parse_count("5 frames", "frames").value, 5);
  EXPECT_EQ(*parse_count("1 frame", "frames").value, 1);
  texts.add(parse_count("5 jobs", "frames").problem);
  texts.add(parse_count("many", "frames").problem);
  EXPECT_FALSE(parse_count("5.5 frames", "frames"));
}

TEST(ParseBytes, KnowsBothKindsOfThousand) {
  tactus::test::Snapshot texts;
  EXPECT_EQ(*parse_bytes("64 KiB").value, 65536);
  EXPECT_EQ(*parse_bytes("1 MiB").value, 1'048'576);
  EXPECT_EQ(*parse_bytes("1 GiB").value, 1'073'741'824);
  EXPECT_EQ(*parse_bytes("1 TiB").value, 1'099'511'627'776);
  EXPECT_EQ(*parse_bytes("1 kB").value, 1'000);
  EXPECT_EQ(*parse_bytes("1 GB").value, 1'000'000'000);
  EXPECT_EQ(*parse_bytes("1 TB").value, 1'000'000'000'000);
  EXPECT_EQ(*parse_bytes("2 MB").value, 2'000'000);
  EXPECT_EQ(*parse_bytes("1.5 KiB").value, 1536);
  EXPECT_EQ(*parse_bytes("1 TiB").value, std::int64_t{1} << 40U);
  EXPECT_EQ(*parse_bytes("0 B").value, 0);
  texts.add(parse_bytes("64").problem);
  texts.add(parse_bytes("1.5 B").problem);
  texts.add(parse_bytes("1e30 B").problem);
  texts.add(parse_bytes("-1 B").problem);
  EXPECT_FALSE(parse_bytes("1 Kib"));
}

TEST(ParseRatioAndPercent, AreExactInTheLastDigit) {
  EXPECT_EQ(*parse_ratio("2x").value, 2.0);
  EXPECT_EQ(*parse_ratio("0.5 x").value, 0.5);
  EXPECT_EQ(*parse_ratio("2").value, 2.0);
  EXPECT_EQ(*parse_ratio("80 %").value, 0.8);
  EXPECT_EQ(*parse_percent("80 %").value, 0.8);
  EXPECT_EQ(*parse_percent("7%").value, 0.07) << "not 7 * 0.01, which is another double";
  EXPECT_EQ(parse_percent("80").problem, "'80' has no unit; write for example '80 %'");
  EXPECT_FALSE(parse_ratio("0x10"));
  EXPECT_FALSE(parse_ratio("twice"));
}

TEST(ParseBool, KnowsSixWords) {
  for (const char* yes : {"yes", "on", "true"}) EXPECT_TRUE(*parse_bool(yes).value) << yes;
  for (const char* no : {"no", "off", "false"}) EXPECT_FALSE(*parse_bool(no).value) << no;
  for (const char* bad : {"", "1", "0", "y", "YES", "nope"}) EXPECT_FALSE(parse_bool(bad)) << bad;
}

TEST(ParseCpus, TakesNumbersAndRanges) {
  EXPECT_EQ(*parse_cpus("3").value, std::vector<int>{3});
  EXPECT_EQ(*parse_cpus("0-3,5").value, (std::vector<int>{0, 1, 2, 3, 5}));
  EXPECT_EQ(*parse_cpus(" 7 , 1 - 2 ").value, (std::vector<int>{7, 1, 2}));
  for (const char* bad :
       {"", ",", "3,", "a", "-1", "1024", "3-1", "1,1", "0-3,2", "1-2-3", "0-99999999999999999999"})
    EXPECT_FALSE(parse_cpus(bad)) << bad;
}

TEST(Print, ReadsBackToTheSameValue) {
  for (const std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{999}, std::int64_t{1'000'000}, std::int64_t{-5000},
        std::int64_t{60'000'000'000}, std::int64_t{3'600'000'000'001}, kMax - 1, kMax, kMin})
    EXPECT_EQ(*parse_duration(print_duration(Nanoseconds{ns})).value, Nanoseconds{ns})
        << print_duration(Nanoseconds{ns});
  for (const Period& period : {Period{1'000'000, 1}, Period{50'000'000, 3}, Period{1'000'000, 3},
                               Period{50'000'000'000, 2997}, Period{kMax, 1}, Period{kMax, 2},
                               Period{1, kMax}, Period{kMax, kMax - 1}, Period{1, 10}, Period{1, 3}})
    EXPECT_EQ(*parse_period(print_period(period)).value, period) << print_period(period);
  for (const double value :
       {0.0, 0.8, 0.07, 1.0 / 3, 1e-9, 1e300, 5e-300, -2.5, 100.0, 12345.678, 0.1 + 0.2}) {
    EXPECT_EQ(*parse_real(print_real(value)).value, value);
    EXPECT_EQ(*parse_ratio(print_ratio(value)).value, value);
    EXPECT_EQ(*parse_percent(print_percent(value)).value, value) << print_percent(value);
  }
  for (const std::int64_t bytes :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{65536}, std::int64_t{2'000'000}, kMax})
    EXPECT_EQ(*parse_bytes(print_bytes(bytes)).value, bytes);
  EXPECT_EQ(print_duration(Nanoseconds{1'500'000'000}), "1500 ms");
  EXPECT_EQ(print_period(Period{50'000'000, 3}), "60 Hz");
  EXPECT_EQ(print_period(Period{50'000'000'000, 2997}), "59.94 Hz");
  EXPECT_EQ(print_period(Period{50'050'000, 3}), "60000/1001 Hz") << "not the same as 59.94 Hz";
  for (const char* rate : {"59.9401 Hz", "59.94005994 Hz", "23.97602 Hz", "0.000000003 Hz", "999999999.7 Hz"})
    EXPECT_EQ(print_period(*parse_period(rate).value), rate) << "near another, and shown apart";
  EXPECT_EQ(print_period(Period{125'125'000, 3}), "24000/1001 Hz");
  EXPECT_EQ(*parse_period("60000/1001 Hz").value, (Period{50'050'000, 3}));
  EXPECT_EQ(show_period(Period{50'050'000, 3}), "16.7 ms (60000/1001 Hz)");
  EXPECT_EQ(show_period(Period{50'000'000'000, 2997}), "16.7 ms (59.94 Hz)");
  EXPECT_EQ(show_period(Period{1'000'000, 1}), "1.00 ms");
  EXPECT_EQ(name_period(Period{2'500'000, 1}), "2500 us");
  EXPECT_EQ(name_period(Period{1'000'000, 3}), "1/3 ms (3000 Hz)");
  EXPECT_EQ(name_period(Period{50'000'000, 3}), "50/3 ms (60 Hz)");
  EXPECT_EQ(name_period(Period{1'000'000'007, 13}), "1000000007/13 ns");
  EXPECT_EQ(print_period(Period{1'000'000, 3}), "3000 Hz");
  EXPECT_EQ(print_percent(0.8), "80 %");
  EXPECT_EQ(print_percent(0.075), "7.5 %");
  EXPECT_EQ(print_bytes(65536), "64 KiB");
}

TEST(ParseDuration, OffersOnlyTimesWithinTheLimits) {
  using std::chrono::milliseconds;
  const Nanoseconds none = Nanoseconds::max();
  EXPECT_EQ(parse_duration("1").problem, "'1' has no unit; write for example '1 us', '1 ms' or '1 s'");
  EXPECT_EQ(parse_duration("1", milliseconds(1), none).problem,
            "'1' has no unit; write for example '1 ms', '1 s' or '1 min'");
  EXPECT_EQ(parse_duration("7", milliseconds(1), milliseconds(10)).problem,
            "'7' has no unit; write for example '7 ms'");
  EXPECT_EQ(parse_duration("70", milliseconds(1), milliseconds(10)).problem,
            "'70' has no unit; write for example '70 us'")
      << "none fits";
  EXPECT_EQ(parse_duration("x").problem,
            "'x' is not a time; write for example '5 us', '1.5 s' or 'for ever'");
  EXPECT_EQ(parse_duration("x", milliseconds(1), none).problem,
            "'x' is not a time; write for example '1.5 s' or 'for ever'");
  EXPECT_EQ(parse_duration("x", Nanoseconds(0), milliseconds(9000)).problem,
            "'x' is not a time; write for example '5 us' or '1.5 s'");
  EXPECT_EQ(parse_duration("x", milliseconds(1), milliseconds(10)).problem,
            "'x' is not a time; write for example '1 ms'");
  EXPECT_EQ(parse_duration("9e18 s", Nanoseconds(0), milliseconds(10)).problem,
            "'9e18 s' is longer than 9223372036.854775807 s, the longest time there is");
}

}  // namespace
}  // namespace tactus::config::number_test
