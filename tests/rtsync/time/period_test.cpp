// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/period.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus::rtsync::period_test {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kTrillion = 1'000'000'000'000;

TEST(Period, IsKeptInLowestTerms) {
  const struct {
    std::int64_t num, den, want_num, want_den;
    const char* why;
  } rows[] = {
      {1'000'000, 1, 1'000'000, 1, "a whole millisecond stays as it is"},
      {1'000'000'000, 60, 50'000'000, 3, "60 Hz"},
      {1'000'000, 3, 1'000'000, 3, "a third of a millisecond is in lowest terms already"},
      {1'000'000'000, 128, 7'812'500, 1, "128 Hz is a whole number of nanoseconds"},
      {1'001'000'000'000, 60'000, 50'050'000, 3, "59.94 Hz as television means it: 60000/1001"},
      {0, 7, 0, 1, "nothing is nothing in any unit"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    const Period period{row.num, row.den};
    EXPECT_EQ(period.num(), row.want_num);
    EXPECT_EQ(period.den(), row.want_den);
    EXPECT_EQ(period.is_whole(), row.want_den == 1);
    EXPECT_EQ(period.is_zero(), row.want_num == 0);
  }
  EXPECT_TRUE(Period{}.is_zero());
  EXPECT_EQ(Period{Nanoseconds{250}}, (Period{500, 2}));
}

TEST(Period, RefusesWhatIsNoPeriod) {
  EXPECT_THROW((Period{-1, 1}), std::invalid_argument);
  EXPECT_THROW((Period{1, 0}), std::invalid_argument);
  EXPECT_THROW((Period{1, -1}), std::invalid_argument);
  EXPECT_THROW((Period{INT64_MIN, 1}), std::invalid_argument);
}

TEST(Period, TimesIsExactAfterAThousandYears) {
  const struct {
    Period period;
    std::int64_t k, want;
    const char* why;
  } rows[] = {
      {{kBillion, 60}, 0, 0, "60 Hz, frame 0"},
      {{kBillion, 60}, 1, 16'666'666, "60 Hz, truncated"},
      {{kBillion, 60}, 2, 33'333'333, "60 Hz, not twice the truncated one"},
      {{kBillion, 60}, 3, 50'000'000, "60 Hz is whole again after three"},
      {{kBillion, 60}, kBillion, 16'666'666'666'666'666, "60 Hz, frame 10^9"},
      {{kBillion, 60}, 6 * kBillion, 100'000'000 * kBillion, "60 Hz, three years to the nanosecond"},
      {{1'000'000, 3}, 1, 333'333, "a third of a millisecond"},
      {{1'000'000, 3}, kBillion, 333'333'333'333'333, "frame 10^9"},
      {{1'000'000, 3}, kTrillion, 333'333'333'333'333'333, "frame 10^12"},
      {{kBillion, 128}, kBillion, 7'812'500 * kBillion, "128 Hz, frame 10^9"},
      {{kBillion, 128}, kTrillion, 7'812'500 * kTrillion, "128 Hz, frame 10^12: the product needs 63 bits"},
      {{kBillion * 1001, 60'000}, kBillion, 16'683'333'333'333'333, "59.94 Hz, frame 10^9"},
      {{kBillion, 1'000'003}, kTrillion, 999'997'000'008'999, "a clumsy denominator"},
      {{1'000'000, 3}, -1, -333'334, "before the epoch it still rounds down"},
      {{1'000'000, 3}, -3, -1'000'000, "and stays exact where it is whole"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(row.period.times(row.k).count(), row.want);
  }
}

TEST(Period, ComparesByValueWithoutOverflow) {
  EXPECT_LT((Period{1'000'000, 3}), (Period{333'334, 1}));
  EXPECT_GT((Period{1'000'000, 3}), (Period{333'333, 1}));
  EXPECT_EQ((Period{2, 4}), (Period{1, 2}));
  EXPECT_LT((Period{INT64_MAX - 1, INT64_MAX}), (Period{1, 1}));
  EXPECT_GT((Period{INT64_MAX, 1}), (Period{INT64_MAX, 2}));
}

TEST(Period, FloorAndSecondsAgreeWithTheFraction) {
  EXPECT_EQ((Period{kBillion, 60}).floor(), Nanoseconds{16'666'666});
  EXPECT_DOUBLE_EQ((Period{kBillion, 60}).seconds(), 1.0 / 60);
  EXPECT_EQ((Period{1, 3}).floor(), Nanoseconds{0});
}

TEST(Period, TimesNeverStraysFromTheExactProduct) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (int i = 0; i < 20'000; ++i) {
    const auto num = std::uniform_int_distribution<std::int64_t>{1, 10 * kBillion}(random);
    const auto den = std::uniform_int_distribution<std::int64_t>{1, 100'000}(random);
    const auto k = std::uniform_int_distribution<std::int64_t>{-kBillion / 2, kBillion / 2}(random);
    const Period period{num, den};
    const Wide time = period.times(k).count();
    // time <= k * num / den < time + 1, without dividing.
    ASSERT_LE(time * den, static_cast<Wide>(k) * num) << num << '/' << den << " k " << k;
    ASSERT_GT((time + 1) * den, static_cast<Wide>(k) * num) << num << '/' << den << " k " << k;
  }
}

static_assert(Period{1'000'000'000, 60}.times(3) == Nanoseconds{50'000'000}, "usable at compile time");

}  // namespace
}  // namespace tactus::rtsync::period_test
