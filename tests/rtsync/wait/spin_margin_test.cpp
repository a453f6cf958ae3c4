// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/spin_margin.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>

namespace tactus::rtsync::spin_margin_test {
namespace {

using namespace std::chrono_literals;
constexpr Period kMillisecond{1'000'000, 1};

TEST(SpinMargin, BeginsWithWhatIsWanted) {
  const struct {
    Nanoseconds wanted;
    Period period;
    Nanoseconds margin;
    const char* why;
  } rows[] = {
      {60us, {1'000'000, 1}, 60us, "what is wanted"},
      {1us, {1'000'000, 1}, 20us, "at least 20 us"},
      {0us, {1'000'000, 1}, 20us, "also when nothing is wanted"},
      {300us, {1'000'000, 1}, 250us, "at most a quarter of the period, far below the throttle"},
      {1us, {40'000, 1}, 10us, "a quarter of a short period goes before the least margin"},
      {60us, {1'000'000'000, 60}, 60us, "a period of fractions"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    SpinMargin margin{0ns};
    margin.begin(row.wanted, row.period);
    EXPECT_EQ(margin.value(), row.margin);
  }
}

TEST(SpinMargin, ComesToWhereOneOf150WakesIsLater) {
  std::mt19937_64 random{7};
  std::exponential_distribution<double> tail{
      1.0 / 4000};  // 34 us and a tail, of which 20 us are passed by one of 150
  const auto wake = [&] { return 34us + Nanoseconds{static_cast<std::int64_t>(tail(random))}; };
  for (const Nanoseconds first : {20us, 240us}) {
    SpinMargin margin{0ns};
    margin.begin(first, kMillisecond);
    for (int i = 0; i < 30'000; ++i) margin.follow(wake());
    int late = 0;
    constexpr int kCounted = 200'000;
    for (int i = 0; i < kCounted; ++i) {
      const Nanoseconds lateness = wake();
      late += lateness > margin.value() ? 1 : 0;
      margin.follow(lateness);
    }
    EXPECT_NEAR(late, kCounted / 150, kCounted / 1500) << "begun at " << first.count() << " ns";
    EXPECT_NEAR(static_cast<double>(margin.value().count()), 54'000, 8000);
  }
}

TEST(SpinMargin, IsNoLongerForStopsOfTheMachine) {
  SpinMargin margin{0ns};
  margin.begin(60us, kMillisecond);
  for (int i = 0; i < 1000; ++i) margin.follow(i % 20 == 0 ? 600us : 30us);
  EXPECT_LT(margin.value(), 60us);
}

TEST(SpinMargin, IsLongerSoonWhenWakesComeLater) {
  SpinMargin margin{0ns};
  margin.begin(60us, kMillisecond);
  for (int i = 0; i < 40; ++i) margin.follow(200us);
  EXPECT_GT(margin.value(), 120us) << "twice as long";
  for (int i = 0; i < 1000; ++i) margin.follow(500us);
  EXPECT_EQ(margin.value(), 250us) << "a quarter of the period at most";
  for (int i = 0; i < 5700; ++i) margin.follow(3us);
  EXPECT_LT(margin.value(), 126us) << "half";
  for (int i = 0; i < 1'000'000; ++i) margin.follow(3us);
  EXPECT_EQ(margin.value(), SpinMargin::kLeast);
}

TEST(SpinMargin, IsNearItsPlaceAfterTheFirstSecond) {
  SpinMargin margin{0ns};
  margin.begin(240us, kMillisecond);
  for (int i = 0; i < 1000; ++i) margin.follow(30us);
  EXPECT_LT(margin.value(), 125us) << "240 us at the start";
}

TEST(SpinMargin, OfAShortPeriodStaysAQuarterOfIt) {
  SpinMargin margin{0ns};
  margin.begin(1us, {40'000, 1});
  for (int i = 0; i < 100'000; ++i) margin.follow(i % 2 == 0 ? 1us : 1ms);
  EXPECT_EQ(margin.value(), 10us);
}

}  // namespace
}  // namespace tactus::rtsync::spin_margin_test
