// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/patience.hpp"

#include <gtest/gtest.h>

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;

TEST(Patience, LooksSoonAtFirstAndSeldomLater) {
  const Patience::Clock::time_point begun{1h};
  const Patience patience(begun);
  EXPECT_EQ(patience.next(begun), 200us);
  EXPECT_EQ(patience.next(begun + 1ms), 200us);
  EXPECT_EQ(patience.next(begun + 80ms), 10ms);
  EXPECT_EQ(patience.next(begun + 10min), 50ms);
}

TEST(Patience, ALongWaitCostsFewLooks) {
  const Patience::Clock::time_point begun{1h};
  const Patience patience(begun);
  int looks = 0;
  for (Patience::Clock::time_point now = begun; now < begun + 10s; now += patience.next(now)) ++looks;
  EXPECT_LT(looks, 20 * 10 + 50);
}

}  // namespace
}  // namespace tactus::executive
