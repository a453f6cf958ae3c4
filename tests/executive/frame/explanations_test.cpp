// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/explanations.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactus::executive::explanations_test {
namespace {

using namespace std::chrono_literals;

class Bench {
 public:
  void explain(std::uint64_t frame, std::chrono::nanoseconds took) {
    explanations.begin();
    now_ += took.count();
    explanations.end(frame);
  }

 private:
  std::int64_t now_ = 0;
  const JobClock clock_{false, [this] { return now_; }};

 public:
  Explanations explanations{clock_};
};

TEST(Explanations, FillTheWorkBehindTheFrameThatWasExplained) {
  Bench bench;
  for (std::uint64_t frame = 0; frame < 40; frame += 10) bench.explain(frame, 800us);
  EXPECT_TRUE(bench.explanations.fill(31, 900us));
  EXPECT_FALSE(bench.explanations.fill(32, 900us)) << "another frame was between";
  EXPECT_FALSE(bench.explanations.fill(31, 2ms)) << "something else was behind that frame, too";
}

TEST(Explanations, ThatTookLongerThanOthersAreLookedAt) {
  Bench bench;
  for (std::uint64_t frame = 0; frame < 40; frame += 10) bench.explain(frame, 800us);
  bench.explain(50, 5ms);
  EXPECT_FALSE(bench.explanations.fill(51, 5ms)) << "the thread may have been preempted";
  EXPECT_TRUE(bench.explanations.had_most(51, 5ms)) << "or there was more to look through";
  EXPECT_FALSE(bench.explanations.had_most(51, 7ms));
  bench.explain(60, 700us);
  EXPECT_TRUE(bench.explanations.fill(61, 700us));
}

TEST(Explanations, ThatAreTheFirstOnesAreLookedAt) {
  Bench bench;
  EXPECT_FALSE(bench.explanations.fill(0, 1ms)) << "there was none";
  bench.explain(3, 800us);
  EXPECT_FALSE(bench.explanations.fill(4, 800us)) << "what is usual is not known yet";
}

}  // namespace
}  // namespace tactus::executive::explanations_test
