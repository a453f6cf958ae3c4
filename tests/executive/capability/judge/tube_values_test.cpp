// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/tube_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace tactus::executive::tube_values_test {
namespace {

TEST(TubeValues, TheNearestOfAFrameIsOneThatItHas) {
  const TubeValues near{.values = {0, 4, 9, 3}, .frames = {{0, 3}, {0, 3}, {3, 4}, {4, 4}}};
  constexpr std::pair<double, double> kRows[] = {{-1, 0}, {1, 0}, {2, 0}, {2.5, 4}, {4, 4},
                                                 {6, 4},  {7, 9}, {9, 9}, {20, 9}};
  for (const auto& [x, nearest] : kRows) EXPECT_EQ(near.nearest(1, x), nearest) << x;
  EXPECT_EQ(near.nearest(2, 100), 3);
  EXPECT_TRUE(std::isnan(near.nearest(3, 1))) << "there is none";
  for (const std::int64_t outside : {std::int64_t{-1}, std::int64_t{4}})
    EXPECT_TRUE(std::isnan(near.nearest(outside, 1))) << outside;
  EXPECT_TRUE(std::isnan(near.nearest(0, std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace tactus::executive::tube_values_test
