// SPDX-License-Identifier: Apache-2.0
#include "config/date.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/support/snapshot.hpp"

namespace tactus::config::date_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirst = -9'214'560'000 * kSecond;                // 1678-01-01T00:00:00Z
constexpr std::int64_t kLast = 9'214'646'399 * kSecond + (kSecond - 1);  // 2261-12-31T23:59:59.999999999Z

/// As a person counts with a calendar: year by year, month by month, from 1970 on. Knows nothing of <chrono>.
struct Calendar {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;

  static bool leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
  static int days_of(std::int64_t year, int month) {
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && leap(year) ? 29 : kDays[month - 1];
  }
  explicit Calendar(std::int64_t days) {
    const auto length = [](std::int64_t y) { return leap(y) ? 366 : 365; };
    while (days < 0) days += length(--year);
    while (days >= length(year)) days -= length(year++);
    while (days >= days_of(year, month)) days -= days_of(year, month++);
    day += static_cast<int>(days);
  }
};

/// The date of a time in a zone that is so many minutes ahead of UTC, with `digits` digits of a fraction.
std::string reference(std::int64_t ns, int zone, int digits) {
  std::int64_t seconds = ns / kSecond;
  std::int64_t fraction = ns % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  seconds += zone * 60;
  std::int64_t days = seconds / 86'400;
  if (seconds % 86'400 < 0) --days;
  const std::int64_t of_day = seconds - days * 86'400;
  const Calendar date(days);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", static_cast<int>(date.year), date.month,
                date.day, static_cast<int>(of_day / 3600), static_cast<int>(of_day / 60 % 60),
                static_cast<int>(of_day % 60));
  std::string all = text;
  if (digits > 0) {
    std::snprintf(text, sizeof text, ".%09d", static_cast<int>(fraction));
    all += std::string(text).substr(0, static_cast<std::size_t>(digits) + 1);
  }
  const int size = zone < 0 ? -zone : zone;
  std::snprintf(text, sizeof text, "%c%02d:%02d", zone < 0 ? '-' : '+', size / 60, size % 60);
  return all + text;
}

TEST(Date, GoodOnesAreRead) {
  struct Row {
    const char* text;
    std::int64_t ns;
    const char* why;
  };
  const Row rows[] = {
      {"1970-01-01T00:00:00Z", 0, "where the count begins"},
      {"1970-01-01T00:00:00+00:00", 0, "the same zone, in digits"},
      {"1970-01-01T00:00:00-00:00", 0, "and with the other sign"},
      {"2005-02-15T00:00:00+00:00", 1'108'425'600 * kSecond, "an example of old"},
      {"1969-12-31T23:59:59.999999999Z", -1, "one nanosecond before the count begins"},
      {"1970-01-01T00:00:00.5Z", kSecond / 2, "one digit is tenths"},
      {"1970-01-01T00:00:00.000000001Z", 1, "nine digits are nanoseconds"},
      {"1970-01-01T01:00:00+01:00", 0, "ahead of UTC"},
      {"1969-12-31T12:30:00-11:30", 0, "behind UTC, the day before"},
      {"1970-01-01T23:59:00+23:59", 0, "as far ahead as a zone is written"},
      {"1969-12-31T00:01:00-23:59", 0, "as far behind"},
      {"2000-02-29T00:00:00Z", 951'782'400 * kSecond, "a year of 400 leaps"},
      {"2024-02-29T23:59:59Z", 1'709'251'199 * kSecond, "a year of 4 leaps"},
      {"1678-01-01T00:00:00Z", kFirst, "the first of all"},
      {"1677-12-31T12:00:00-12:00", kFirst, "the first, where it is still the year before"},
      {"2261-12-31T23:59:59.999999999Z", kLast, "the last of all"},
      {"2262-01-01T00:59:59.999999999+01:00", kLast, "the last, where it is the year after already"},
  };
  for (const Row& row : rows) {
    const ParsedDate date = parse_date(row.text);
    EXPECT_TRUE(date) << row.text << ": " << row.why << ": " << date.problem;
    EXPECT_EQ(date.ns.value_or(42), row.ns) << row.text << ": " << row.why;
    EXPECT_EQ(date.problem, "");
  }
}

TEST(Date, WhatIsWrongIsSaidWithThePlaceAndWhatIsAllowed) {
  tactus::test::Snapshot texts;
  const std::string rows[] = {"",
                              "now",
                              "2005-02-15",
                              "2005-02-15 00:00:00Z",
                              "2005-02-15t00:00:00Z",
                              "2005-2-15T00:00:00Z",
                              "05-02-15T00:00:00Z",
                              "20050215T000000Z",
                              "+2005-02-15T00:00:00Z",
                              "2005-02-15T00:00Z",
                              " 2005-02-15T00:00:00Z",
                              "2005-02-15T00:00:00Z ",
                              "2005-02-15T00:00:00ZZ",
                              "2005-02-15T00:00:00+00:00Z",
                              "2005-02-15T00:00:00",
                              "2005-02-15T00:00:00.5",
                              "2005-02-15T00:00:00z",
                              "2005-02-15T00:00:00,5Z",
                              "2005-02-15T00:00:00.5z",
                              "2005-02-15T00:00:00.Z",
                              "2005-02-15T00:00:00.1234567890Z",
                              "2005-02-15T00:00:00+0100",
                              "2005-02-15T00:00:00+01",
                              "2005-02-15T00:00:00+1:00",
                              "2005-02-15T00:00:00+24:00",
                              "2005-02-15T00:00:00-01:60",
                              "2005-00-15T00:00:00Z",
                              "2005-13-15T00:00:00Z",
                              "2005-02-00T00:00:00Z",
                              "2005-02-29T00:00:00Z",
                              "1900-02-29T00:00:00Z",
                              "2024-02-30T00:00:00Z",
                              "2005-04-31T00:00:00Z",
                              "2005-12-32T00:00:00Z",
                              "2005-02-15T24:00:00Z",
                              "2005-02-15T00:60:00Z",
                              "2016-12-31T23:59:60Z",
                              "2005-02-15T00:00:61Z",
                              "1677-12-31T23:59:59.999999999Z",
                              "1678-01-01T00:00:00+00:01",
                              "2262-01-01T00:00:00Z",
                              "2261-12-31T23:59:59-00:01",
                              "0000-01-01T00:00:00Z",
                              "9999-12-31T23:59:59Z",
                              std::string("2005-02-15T00:00:00\0Z", 21),
                              "2005-02-15T00:00:0\xc3\xa9Z"};
  for (const std::string& text : rows) {
    const ParsedDate date = parse_date(text);
    EXPECT_FALSE(date) << text;
    texts.add(date.problem);
  }
}

TEST(Date, IsPrintedWithAsManyDigitsAsItNeeds) {
  EXPECT_EQ(print_date(0), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(print_date(1'108'425'600 * kSecond + kSecond / 2), "2005-02-15T00:00:00.5+00:00");
  EXPECT_EQ(print_date(1), "1970-01-01T00:00:00.000000001+00:00");
  EXPECT_EQ(print_date(-1), "1969-12-31T23:59:59.999999999+00:00");
  EXPECT_EQ(print_date(1'000'000), "1970-01-01T00:00:00.001+00:00");
  EXPECT_EQ(print_date(kFirst), "1678-01-01T00:00:00+00:00");
  EXPECT_EQ(print_date(kLast), "2261-12-31T23:59:59.999999999+00:00");
}

TEST(Date, AnyTimeIsPrintedAsTheReferenceHasItAndReadBack) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> any(kFirst, kLast);
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t ns = any(random);
    const std::string text = print_date(ns);
    EXPECT_EQ(parse_date(text).ns, ns) << text;
    std::string wanted = reference(ns, 0, 9);
    wanted.resize(wanted.size() - 6);
    wanted.resize(wanted.find_last_not_of('0') + 1);
    if (wanted.back() == '.') wanted.pop_back();
    ASSERT_EQ(text, wanted + "+00:00");
  }
}

TEST(Date, AnyTimeIsReadInAnyZoneWithAnyNumberOfDigits) {
  std::mt19937_64 random(8);
  std::uniform_int_distribution<std::int64_t> any(kFirst, kLast);
  std::uniform_int_distribution<int> zone(-1439, 1439);
  std::uniform_int_distribution<int> digits(0, 9);
  for (int round = 0; round < 20'000; ++round) {
    const int kept = digits(random);
    std::int64_t unit = kSecond;
    for (int i = 0; i < kept; ++i) unit /= 10;
    const std::int64_t drawn = any(random);
    const std::int64_t ns = drawn - ((drawn % unit) + unit) % unit;
    if (ns < kFirst) continue;
    const std::string text = reference(ns, zone(random), kept);
    const ParsedDate date = parse_date(text);
    ASSERT_EQ(date.ns, ns) << text << ": " << date.problem;
  }
}

TEST(Date, EveryDayOfTheRangeIsTakenAndTheDayAfterTheLastOfAMonthIsNot) {
  for (int year = 1678; year <= 2261; ++year)
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= 32; ++day) {
        char text[32];
        std::snprintf(text, sizeof text, "%04d-%02d-%02dT00:00:00Z", year, month, day);
        ASSERT_EQ(static_cast<bool>(parse_date(text)), day <= Calendar::days_of(year, month)) << text;
      }
}

/// Whatever is read is a date that is written the same way again, but for its zone and its zeros.
TEST(Date, ADateWithOneCharacterChangedIsReadAsAnotherDateOrNotAtAll) {
  const std::string good = "2005-02-15T10:20:30.125+01:00";
  const std::int64_t ns = *parse_date(good).ns;
  std::mt19937_64 random(9);
  std::uniform_int_distribution<std::size_t> place(0, good.size() - 1);
  std::uniform_int_distribution<int> any(1, 255);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    char& changed = text[place(random)];
    const char before = changed;
    changed = static_cast<char>(any(random));
    const ParsedDate date = parse_date(text);
    if (changed == before) continue;
    if (date) {
      EXPECT_TRUE(changed == '-' || (changed >= '0' && changed <= '9')) << text;
      EXPECT_NE(*date.ns, ns) << text;
      EXPECT_EQ(parse_date(print_date(*date.ns)).ns, date.ns);
    } else {
      EXPECT_FALSE(date.problem.empty());
    }
  }
}

}  // namespace
}  // namespace tactus::config::date_test
