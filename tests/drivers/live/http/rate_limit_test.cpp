// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/rate_limit.hpp"

#include <gtest/gtest.h>

namespace tactus::drivers::live_http::rate_limit_test {
namespace {

using namespace std::chrono_literals;
const RateLimit::Clock::time_point kStart{};

TEST(HttpRateLimit, ABurstOfOneSecondThenEvenly) {
  RateLimit limit(10);
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(limit.take("a", kStart)) << k;
  EXPECT_FALSE(limit.take("a", kStart));
  EXPECT_FALSE(limit.take("a", kStart + 99ms));
  EXPECT_TRUE(limit.take("a", kStart + 101ms));
  EXPECT_FALSE(limit.take("a", kStart + 102ms));
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(limit.take("a", kStart + 10s)) << k;
  EXPECT_FALSE(limit.take("a", kStart + 10s)) << "no more is saved up";
}

TEST(HttpRateLimit, ClientsDoNotPayForEachOther) {
  RateLimit limit(1);
  EXPECT_TRUE(limit.take("a", kStart));
  EXPECT_TRUE(limit.take("b", kStart));
  EXPECT_FALSE(limit.take("a", kStart));
}

TEST(HttpRateLimit, ForgetsWhoHasBeenQuiet) {
  RateLimit limit(1);
  for (int k = 0; k < 50'000; ++k) (void)limit.take(std::to_string(k), kStart + std::chrono::milliseconds(k));
  EXPECT_LE(limit.clients(), 10'000U);
  limit.tidy(kStart + 1h);
  EXPECT_EQ(limit.clients(), 0U);
}

}  // namespace
}  // namespace tactus::drivers::live_http::rate_limit_test
