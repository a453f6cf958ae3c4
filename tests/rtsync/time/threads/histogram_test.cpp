// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::histogram_test {
namespace {

// Times of every size a rig meets: a handful of nanoseconds up to hours, evenly in their number of bits.
std::int64_t any_time(std::mt19937_64& random) {
  const auto bits = std::uniform_int_distribution<unsigned>{0, 45}(random);
  return static_cast<std::int64_t>(random() & ((std::uint64_t{1} << bits) - 1));
}

// Nearest rank for a share in thousandths, in whole numbers: the smallest n with n / total >= share.
std::size_t rank_in_thousandths(std::size_t thousandths, std::size_t total) {
  return std::max<std::size_t>(1, (thousandths * total + 999) / 1000);
}

template <class H>
class AnyHistogram : public testing::Test {};
template <unsigned Bits>
struct OfBits {
  static constexpr unsigned kBits = Bits;
  using Type = Histogram<Bits>;
};
using Widths = testing::Types<OfBits<3>, OfBits<6>, OfBits<1>, OfBits<10>>;
TYPED_TEST_SUITE(AnyHistogram, Widths);

TYPED_TEST(AnyHistogram, BucketsTileTheWholeRange) {
  using H = typename TypeParam::Type;
  EXPECT_EQ(H::lower_edge(0), 0U);
  for (std::size_t i = 0; i + 1 < H::kBuckets; ++i) {
    ASSERT_EQ(H::bucket_of(H::lower_edge(i)), i);
    ASSERT_EQ(H::bucket_of(H::upper_edge(i)), i);
    ASSERT_EQ(H::upper_edge(i) + 1, H::lower_edge(i + 1)) << "no gap, no overlap, at bucket " << i;
  }
  EXPECT_EQ(H::bucket_of(INT64_MAX), H::kBuckets - 1) << "the longest time there is has the last bucket";
  EXPECT_EQ(H::upper_edge(H::kBuckets - 1), static_cast<std::uint64_t>(INT64_MAX));
}

TYPED_TEST(AnyHistogram, IsExactBelowTwoToTheBitsPlusOne) {
  using H = typename TypeParam::Type;
  for (std::uint64_t value = 0; value < (std::uint64_t{2} << TypeParam::kBits); ++value) {
    ASSERT_EQ(H::lower_edge(H::bucket_of(value)), value);
    ASSERT_EQ(H::upper_edge(H::bucket_of(value)), value);
  }
}

TYPED_TEST(AnyHistogram, IsWithinItsRelativeWidthAbove) {
  using H = typename TypeParam::Type;
  std::mt19937_64 random{1};
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t value = random() >> std::uniform_int_distribution<unsigned>{1, 63}(random);
    const std::uint64_t low = H::lower_edge(H::bucket_of(value));
    const std::uint64_t high = H::upper_edge(H::bucket_of(value));
    ASSERT_LE(low, value);
    ASSERT_GE(high, value);
    ASSERT_LE(high - low, value >> TypeParam::kBits) << value;
  }
}

TYPED_TEST(AnyHistogram, QuantilesAgreeWithASortedVector) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  const auto histogram = std::make_unique<typename TypeParam::Type>();
  for (const std::size_t total : {1U, 2U, 3U, 10U, 999U, 1000U, 1001U, 20'000U}) {
    histogram->clear();
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < total; ++i) {
      values.push_back(any_time(random));
      histogram->add(Nanoseconds{values.back()});
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram->count(), total);
    EXPECT_EQ(histogram->min().count(), values.front());
    EXPECT_EQ(histogram->max().count(), values.back());
    for (const std::size_t share : {0U, 1U, 10U, 250U, 500U, 900U, 990U, 999U, 1000U}) {
      const std::int64_t exact = values[rank_in_thousandths(share, total) - 1];
      const std::int64_t got = histogram->quantile(static_cast<double>(share) / 1000).count();
      EXPECT_GE(got, exact) << share << " of " << total << ": never flatters";
      EXPECT_LE(got, exact + (exact >> TypeParam::kBits)) << share << " of " << total;
    }
  }
}

TEST(Histogram, KnowsNothingOfNothing) {
  const LatencyHistogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.min(), Nanoseconds{0});
  EXPECT_EQ(empty.max(), Nanoseconds{0});
  EXPECT_EQ(empty.quantile(0), Nanoseconds{0});
  EXPECT_EQ(empty.quantile(0.5), Nanoseconds{0});
  EXPECT_EQ(empty.quantile(1), Nanoseconds{0});
  EXPECT_EQ(empty.between(Nanoseconds{0}, Nanoseconds::max()), 0U);
}

TEST(Histogram, CountsNegativeTimesAsZero) {
  LatencyHistogram histogram;
  histogram.add(Nanoseconds{-5});
  histogram.add(Nanoseconds::min());
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(histogram.max(), Nanoseconds{0});
  EXPECT_EQ(histogram.quantile(1), Nanoseconds{0});
}

TEST(Histogram, NeverNamesATimeAboveTheMaximum) {
  LatencyHistogram histogram;
  histogram.add(Nanoseconds{1'000'001});
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.quantile(share), Nanoseconds{1'000'001});
  histogram.add(Nanoseconds::max());
  EXPECT_EQ(histogram.quantile(1), Nanoseconds::max());
}

TEST(Histogram, RankIsTheNearestOne) {
  const struct {
    double share;
    std::uint64_t total, want;
    const char* why;
  } rows[] = {
      {0.5, 0, 0, "of nothing there is no rank"},
      {0.0, 10, 1, "the smallest"},
      {0.5, 10, 5, "half of ten is the fifth"},
      {0.5, 11, 6, "half of eleven is the sixth"},
      {0.99, 100, 99, "0.99 * 100 is a little above 99 in binary and still means 99"},
      {0.999, 1000, 999, "likewise"},
      {0.9999, 100'000, 99'990, "likewise"},
      {1.0, 10, 10, "the greatest"},
      {1.5, 10, 10, "nothing above all"},
      {-1.0, 10, 1, "nothing below none"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(rank_of(row.share, row.total), row.want);
  }
}

TEST(Histogram, CountsBetweenBounds) {
  JobHistogram histogram;
  for (std::int64_t i = 0; i < 16; ++i) histogram.add(Nanoseconds{i});
  histogram.add(Nanoseconds{1'000'000});
  EXPECT_EQ(histogram.between(Nanoseconds{0}, Nanoseconds{16}), 16U);
  EXPECT_EQ(histogram.between(Nanoseconds{3}, Nanoseconds{5}), 2U)
      << "the lower bound belongs, the upper not";
  EXPECT_EQ(histogram.between(Nanoseconds{5}, Nanoseconds{5}), 0U);
  EXPECT_EQ(histogram.between(Nanoseconds{16}, Nanoseconds::max()), 1U);
}

TEST(Histogram, ForgetsEverythingWhenCleared) {
  LatencyHistogram histogram;
  histogram.add(Nanoseconds{7});
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), Nanoseconds{0});
  EXPECT_EQ(histogram.max(), Nanoseconds{0});
  histogram.add(Nanoseconds{9});
  EXPECT_EQ(histogram.min(), Nanoseconds{9});
}

TEST(SlackHistogram, QuantilesAgreeWithASortedVector) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  for (const std::int64_t period : {0, 1'000'000, 999'999'999}) {
    for (const int sign : {-1, 0, 1}) {  // only negative, both, only positive
      SlackHistogram histogram;
      histogram.set_period(Nanoseconds{period});
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < 3001; ++i) {
        const std::int64_t size = random() % 4 == 0 && period > 0
                                      ? period - static_cast<std::int64_t>(random() % 20'000)
                                      : any_time(random);
        values.push_back(sign == 0 ? (random() % 2 == 0 ? size : -size) : sign * size);
        histogram.add(Nanoseconds{values.back()});
      }
      std::sort(values.begin(), values.end());
      EXPECT_EQ(histogram.count(), values.size());
      EXPECT_EQ(histogram.min().count(), values.front());
      EXPECT_EQ(histogram.max().count(), values.back());
      for (const std::size_t share : {0U, 1U, 100U, 499U, 500U, 501U, 990U, 1000U}) {
        const std::int64_t exact = values[rank_in_thousandths(share, values.size()) - 1];
        const std::int64_t got = histogram.quantile(static_cast<double>(share) / 1000).count();
        const bool near_period = exact >= period / 2 && exact <= period;
        const std::int64_t distance = near_period ? period - exact : std::abs(exact);
        EXPECT_LE(std::abs(got - exact), distance >> 6) << "share " << share << " sign " << sign;
        EXPECT_TRUE(exact == 0 || (got < 0) == (exact < 0)) << "an overrun never reads as slack";
      }
      std::uint64_t seen = 0;
      std::int64_t end = INT64_MIN;
      histogram.each([&](std::int64_t from, std::int64_t to, std::uint64_t count) {
        EXPECT_LT(from, to);
        const auto in = std::lower_bound(values.begin(), values.end(), to) -
                        std::lower_bound(values.begin(), values.end(), from);
        EXPECT_EQ(static_cast<std::uint64_t>(in), count) << from << " .. " << to;
        seen += count;
        end = std::max(end, to);
      });
      EXPECT_EQ(seen, values.size());
      EXPECT_GT(end, values.back());
    }
  }
}

TEST(SlackHistogram, IsFineAroundZeroAndAroundThePeriod) {
  SlackHistogram histogram;
  histogram.set_period(Nanoseconds{1'000'000});
  const std::vector<std::int64_t> slack = {-90,     5,       70,      400'000,  993'000,
                                           996'500, 998'100, 999'950, 1'000'000};
  for (const std::int64_t each : slack) histogram.add(Nanoseconds{each});
  std::vector<std::int64_t> widths;
  histogram.each([&](std::int64_t from, std::int64_t to, std::uint64_t) { widths.push_back(to - from); });
  ASSERT_EQ(widths.size(), slack.size()) << "each has a bucket of its own";
  EXPECT_EQ(widths[1], 1);
  for (const std::size_t near : {4U, 5U, 6U, 7U}) EXPECT_LE(widths[near], 110) << slack[near];
}

TEST(SlackHistogram, KnowsItsEdges) {
  SlackHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), Nanoseconds{0});
  EXPECT_EQ(histogram.max(), Nanoseconds{0});
  EXPECT_EQ(histogram.quantile(0.5), Nanoseconds{0});
  histogram.add(Nanoseconds{-3});
  EXPECT_EQ(histogram.min(), Nanoseconds{-3});
  EXPECT_EQ(histogram.max(), Nanoseconds{-3}) << "the greatest of one negative time is that time";
  histogram.add(Nanoseconds{0});
  EXPECT_EQ(histogram.max(), Nanoseconds{0});
  EXPECT_EQ(histogram.quantile(0.5), Nanoseconds{-3});
  EXPECT_EQ(histogram.quantile(1), Nanoseconds{0});
}

TEST(HistogramThreads, AReaderSeesOnlyWhatWasAdded) {
  const auto histogram = std::make_unique<LatencyHistogram>();
  constexpr int kTimes = 200'000;
  std::thread writer([&histogram] {
    for (int i = 0; i < kTimes; ++i) histogram->add(Nanoseconds{1000 + i % 1000});
  });
  std::uint64_t before = 0;
  while (before < kTimes) {
    const std::uint64_t count = histogram->count();
    ASSERT_GE(count, before);
    before = count;
    const Nanoseconds least = histogram->min();
    ASSERT_TRUE(least == Nanoseconds{0} || least == Nanoseconds{1000}) << least.count();
    ASSERT_LE(histogram->quantile(0.99), Nanoseconds{1999});
  }
  writer.join();
  EXPECT_EQ(histogram->between(Nanoseconds{0}, Nanoseconds::max()), static_cast<std::uint64_t>(kTimes));
}

TEST(HistogramMedian, FollowsWhateverIsAdded) {
  std::mt19937_64 random{11};
  JobHistogram histogram;
  EXPECT_EQ(histogram.median(), Nanoseconds{0});
  for (int i = 0; i < 3000; ++i) {
    // It moves up, down, and jumps between two heaps of times.
    histogram.add(Nanoseconds{i < 1000 ? any_time(random) : i < 2000 ? 100 : i % 2 == 0 ? 7 : 5'000'000});
    if (i % 7 == 0) {
      ASSERT_EQ(histogram.median(), histogram.quantile(0.5)) << i;
    }
  }
  histogram.clear();
  histogram.add(Nanoseconds{3});
  EXPECT_EQ(histogram.median(), Nanoseconds{3});
}

TEST(HistogramRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const auto histogram = std::make_unique<LatencyHistogram>();
  const auto slack_histogram = std::make_unique<SlackHistogram>();
  const HeapWatch heap;
  for (std::int64_t i = 0; i < 1000; ++i) {
    histogram->add(Nanoseconds{i * i});
    slack_histogram->add(Nanoseconds{500 - i});
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::rtsync::histogram_test
