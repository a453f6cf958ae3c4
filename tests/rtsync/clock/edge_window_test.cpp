// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/rtsync/support/sim_edges.hpp"

namespace tactus::rtsync::edge_window_test {
namespace {

using Fit = EdgeWindow::Fit;

constexpr std::int64_t kPeriod = 1'000'000;

/// A window of nine edges, those of `missing` left out.
EdgeWindow window_of(const EdgeGrid& grid, double rate, std::initializer_list<std::int64_t> missing = {},
                     std::int64_t worst = 0) {
  EdgeWindow window{grid};
  window.begin(9);
  for (std::int64_t n = 100; !window.ready(); ++n) {
    if (std::find(missing.begin(), missing.end(), n) != missing.end()) continue;
    const double at = static_cast<double>(n * kPeriod) * (1 + rate);
    window.push(std::llround(at) + (n == 104 ? worst : 0), n);
  }
  return window;
}

TEST(EdgeWindow, FindsTheRateOfItsEdges) {
  const EdgeGrid grid{{}};
  const unsigned seed = any_seed();
  SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
  std::mt19937 random{seed};
  for (int i = 0; i < 1000; ++i) {
    const double rate = std::uniform_real_distribution<double>{-9.9e-4, 9.9e-4}(random);
    EdgeWindow window = window_of(grid, rate, {102, 105, 106});
    ASSERT_EQ(window.missing(), 3);
    ASSERT_EQ(window.fit(0, true), Fit::good);
    ASSERT_NEAR(window.rate(), rate, 1e-6);
    ASSERT_NEAR(window.off(), 0, 2);
    window.number_by_distance();
    ASSERT_EQ(window.newest().n, 11) << "numbered as they came, gaps and all";
  }
}

TEST(EdgeWindow, TellsAWrongRateFromNoise) {
  const EdgeGrid grid{{}};  // 0.1 %, 100 us
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_EQ(window_of(grid, sign * 0.99e-3).fit(0, false), Fit::good);
    EdgeWindow wrong = window_of(grid, sign * 1.1e-3);
    EXPECT_EQ(wrong.fit(0, false), Fit::wrong_rate);
    EXPECT_NEAR(wrong.measured_period(), kPeriod * (1 + sign * 1.1e-3), 1);
    EdgeWindow noisy = window_of(grid, 0, {}, std::llround(sign * 150'000));
    EXPECT_EQ(noisy.fit(0, false), Fit::noisy);
    EXPECT_GT(noisy.off(), 100'000);
    noisy.keep_newest();
    EXPECT_EQ(noisy.size(), 8U);
    EXPECT_EQ(noisy.newest().n, 108);
  }
}

TEST(EdgeWindow, WantsUpToFourTimesAsManyWhileInDoubt) {
  const EdgeGrid grid{{}};
  EdgeWindow window{grid};
  window.begin(9);
  std::vector<std::size_t> tried;
  Fit verdict = Fit::too_few;
  for (std::int64_t n = 0; verdict == Fit::too_few; ++n) {
    window.push(n * kPeriod + (n % 2 == 0 ? 40'000 : -40'000), n);
    if (!window.ready()) continue;
    tried.push_back(window.size());
    verdict = window.fit(0, false);
  }
  EXPECT_EQ(verdict, Fit::good);
  EXPECT_EQ(tried, (std::vector<std::size_t>{9, 17, 33}));
}

TEST(EdgeWindow, AGlitchInNearlyEachIntervalIsAnotherRate) {
  const EdgeGrid grid{{}};
  for (const int glitches : {5, 6}) {  // of 8 intervals
    EdgeWindow window = window_of(grid, 0);
    for (int i = 0; i < glitches; ++i) window.count_glitch();
    EXPECT_EQ(window.fit(0, false), glitches == 6 ? Fit::wrong_rate : Fit::good);
    if (glitches == 6) {
      EXPECT_NEAR(window.measured_period(), 8.0 * kPeriod / 14, 1);
    }
  }
}

TEST(EdgeWindow, NumbersGoOnFromTheNewestEdge) {
  const EdgeGrid grid{{}};
  EdgeWindow window{grid};
  window.begin(9);
  window.push(5'000'000, 50);
  EXPECT_EQ(window.number_of(5'200'000, 1e6), 51) << "at least the next one";
  EXPECT_EQ(window.number_of(7'490'000, 1e6), 52);
  EXPECT_EQ(window.number_of(7'510'000, 1e6), 53);
  EXPECT_EQ(window.due_by(5'499'000, 1e6), 49);
  EXPECT_EQ(window.due_by(5'500'000, 1e6), 50) << "half a period ago";
  EXPECT_EQ(window.due_by(7'500'000, 1e6), 52);
}

}  // namespace
}  // namespace tactus::rtsync::edge_window_test
