// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/time_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tactus::executive::time_heap_test {
namespace {

TEST(TimeHeap, HasTheLeastAtHandWhateverIsSet) {
  std::mt19937 random(7);
  for (const std::size_t n : {1U, 2U, 3U, 64U, 1000U}) {
    TimeHeap heap(n, 50);
    std::vector<rtsync::Wide> times(n, 50);
    for (int step = 0; step < 3000; ++step) {
      const auto who = static_cast<std::uint32_t>(random() % n);
      times[who] = random() % 100;
      heap.set(who, times[who]);
      EXPECT_EQ(heap.time(who), times[who]);
      ASSERT_EQ(heap.time(heap.first()), *std::min_element(times.begin(), times.end())) << n << ' ' << step;
    }
  }
}

TEST(TimeHeap, IsEmptyOfNobody) { EXPECT_TRUE(TimeHeap(0, 0).empty()); }

}  // namespace
}  // namespace tactus::executive::time_heap_test
