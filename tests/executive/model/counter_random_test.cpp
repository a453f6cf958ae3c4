// SPDX-License-Identifier: Apache-2.0
#include "executive/model/counter_random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tactus::executive::counter_random_test {
namespace {

using ::testing::ElementsAre;

TEST(CounterRandom, HasTheNumbersThatPhiloxPublishes) {
  EXPECT_THAT(CounterRandom().bits(0), ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  EXPECT_THAT(CounterRandom(~0ULL, ~0U).bits(-1, ~0U),
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
}

TEST(CounterRandom, IsUniformAndNormal) {
  const CounterRandom random(7);
  double sum = 0, squares = 0, uniform = 0, neighbours = 0, before = 0;
  constexpr int kNumber = 100'000;
  for (int i = 0; i < kNumber; ++i) {
    const double x = random.normal(i);
    sum += x;
    squares += x * x;
    neighbours += x * before;
    before = x;
    const double u = random.uniform(i, 3);
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
  }
  EXPECT_NEAR(sum / kNumber, 0, 0.02);
  EXPECT_NEAR(squares / kNumber, 1, 0.03);
  EXPECT_NEAR(neighbours / kNumber, 0, 0.02);
  EXPECT_NEAR(uniform / kNumber, 0.5, 0.01);
}

}  // namespace
}  // namespace tactus::executive::counter_random_test
