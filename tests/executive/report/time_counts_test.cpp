// SPDX-License-Identifier: Apache-2.0
#include "executive/report/time_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tactus::report::time_counts_test {
namespace {

TEST(TimeCounts, OfNothingIsNothing) {
  const TimeCounts none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.least(), 0);
  EXPECT_EQ(none.greatest(), 0);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.quantile(0.5), 0);
  EXPECT_EQ(SignedTimeCounts().quantile(0.99), 0);
  EXPECT_EQ(SignedTimeCounts().mean(), 0);
}

TEST(TimeCounts, ANegativeTimeIsNone) {
  TimeCounts counts;
  counts.add(-5);
  counts.add(7);
  EXPECT_EQ(counts.least(), 0);
  EXPECT_EQ(counts.greatest(), 7);
  EXPECT_EQ(counts.mean(), 3.5);
}

TEST(TimeCounts, AQuantileIsWithinItsBucketOfTheSortedOne) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> time(8, 2);
  std::vector<std::int64_t> sorted;
  TimeCounts counts;
  for (int i = 0; i < 10'000; ++i) {
    sorted.push_back(static_cast<std::int64_t>(time(random)));
    counts.add(sorted.back());
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(counts.least(), sorted.front());
  EXPECT_EQ(counts.greatest(), sorted.back());
  EXPECT_EQ(counts.quantile(1), sorted.back());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const std::int64_t exact = sorted[static_cast<std::size_t>(share * 10'000) - 1];
    EXPECT_GE(counts.quantile(share), exact) << share;
    EXPECT_LE(counts.quantile(share), exact + exact / 60 + 1) << share;
  }
}

TEST(TimeCounts, EachBucketKnowsItsEndsAndItsGreatest) {
  TimeCounts counts;
  for (const std::int64_t ns : {10, 1000, 1001, 1'000'000}) counts.add(ns);
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.buckets().size(); ++i) {
    all += counts.buckets()[i];
    if (counts.buckets()[i] == 0) continue;
    EXPECT_GE(counts.greatest_in(i), TimeCounts::lower_edge(i));
    EXPECT_LE(counts.greatest_in(i), TimeCounts::upper_edge(i));
    EXPECT_EQ(TimeCounts::bucket_of(counts.greatest_in(i)), i);
  }
  EXPECT_EQ(all, 4U);
}

TEST(SignedTimeCounts, AreOrderedAcrossZero) {
  SignedTimeCounts counts;
  for (const std::int64_t ns : {-100, -10, 0, 10, 100}) counts.add(ns);
  EXPECT_EQ(counts.count(), 5U);
  EXPECT_EQ(counts.least(), -100);
  EXPECT_EQ(counts.greatest(), 100);
  EXPECT_EQ(counts.quantile(0.2), -100);
  EXPECT_EQ(counts.quantile(0.4), -10);
  EXPECT_EQ(counts.quantile(0.6), 0);
  EXPECT_EQ(counts.quantile(0.8), 10);
  EXPECT_EQ(counts.quantile(1), 100);
  EXPECT_DOUBLE_EQ(counts.mean(), 0);
}

TEST(SignedTimeCounts, MayAllBeBelowZero) {
  SignedTimeCounts counts;
  counts.add(-100);
  counts.add(-50);
  EXPECT_EQ(counts.least(), -100);
  EXPECT_EQ(counts.greatest(), -50);
  EXPECT_EQ(counts.quantile(1), -50);
  EXPECT_DOUBLE_EQ(counts.mean(), -75);
}

}  // namespace
}  // namespace tactus::report::time_counts_test
