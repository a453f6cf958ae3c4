// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace tactus::executive::stimulus_source_test {
namespace {

using Shape = StimulusSegment::Shape;
constexpr std::int64_t kMs = 1'000'000;

double at(const StimulusSegment& segment, std::int64_t ns, double entry = 0) {
  StimulusMemory memory{entry};
  return value_of(segment, ns, ns / kMs, memory);
}

TEST(StimulusSource, ARampGoesFromTheValueBeforeItOrFromItsOwn) {
  StimulusSegment ramp;
  ramp.shape = Shape::ramp;
  ramp.to = 10;
  ramp.length_ns = 100 * kMs;
  EXPECT_EQ(at(ramp, 0, 4), 4);
  EXPECT_EQ(at(ramp, 50 * kMs, 4), 7);
  EXPECT_EQ(at(ramp, 100 * kMs, 4), 10);
  ramp.from_entry = false;
  ramp.from = 20;
  EXPECT_EQ(at(ramp, 50 * kMs, 4), 15);
}

TEST(StimulusSource, ASineHasItsPhaseAndASquareItsDuty) {
  StimulusSegment wave;
  wave.shape = Shape::sine;
  wave.size = 2;
  wave.mean = 1;
  wave.frequency = 10;
  wave.phase = std::numbers::pi / 2;
  EXPECT_NEAR(at(wave, 0), 3, 1e-12);
  EXPECT_NEAR(at(wave, 50 * kMs), -1, 1e-9);
  wave.shape = Shape::square;
  wave.from = -1;
  wave.to = 4;
  wave.duty = 0.3;
  for (std::int64_t ms = 0; ms < 1000; ++ms) EXPECT_EQ(at(wave, ms * kMs), ms % 100 < 30 ? 4 : -1) << ms;
}

TEST(StimulusSource, AChirpHasItsFrequenciesAtItsEnds) {
  for (const bool exponential : {false, true}) {
    StimulusSegment chirp;
    chirp.shape = Shape::chirp;
    chirp.size = 1;
    chirp.frequency = 1;
    chirp.until = 50;
    chirp.exponential = exponential;
    chirp.length_ns = 10'000 * kMs;
    const auto slope = [&](std::int64_t ns) {  // of the phase, from three points of the sine
      const double h = 1e-4;
      const auto step = static_cast<std::int64_t>(h * 1e9);
      const double second = at(chirp, ns + step) - 2 * at(chirp, ns) + at(chirp, ns - step);
      return std::sqrt(std::abs(second / at(chirp, ns))) / h / (2 * std::numbers::pi);
    };
    EXPECT_NEAR(slope(250 * kMs), exponential ? 1.1 : 2.2, 0.6) << exponential;
    EXPECT_NEAR(slope(9'995 * kMs), 50, 2) << exponential;
  }
}

TEST(StimulusSource, ABinarySequenceHasTheGreatestLengthOfItsOrder) {
  for (const int order : {2, 3, 4, 5, 6, 7, 9, 10, 11, 15}) {
    const std::vector<bool> once = binary_sequence(order, 0);
    const std::size_t length = (std::size_t{1} << order) - 1;
    ASSERT_EQ(once.size(), length);
    std::set<std::uint32_t> windows;
    for (std::size_t i = 0; i < length; ++i) {
      std::uint32_t window = 0;
      for (int bit = 0; bit < order; ++bit)
        window = window * 2 + (once[(i + static_cast<std::size_t>(bit)) % length] ? 1U : 0U);
      windows.insert(window);
    }
    EXPECT_EQ(windows.size(), length) << "order " << order << ": each window but that of zeros comes once";
    EXPECT_EQ(windows.count(0), 0U);
  }
  EXPECT_NE(binary_sequence(7, 3), binary_sequence(7, 4));
}

TEST(StimulusSource, NoiseHasItsDeviationAndItsBand) {
  StimulusSegment noise;
  noise.shape = Shape::noise;
  noise.size = 2;
  noise.mean = 5;
  noise.random = CounterRandom(1);
  for (const double memory : {0.0, 0.9}) {
    noise.memory = memory;
    StimulusMemory kept;
    double sum = 0, squares = 0, neighbours = 0, before = 0;
    constexpr int kNumber = 50'000;
    for (int n = 0; n < kNumber; ++n) {
      const double x = (value_of(noise, n * kMs, n, kept) - 5) / 2;
      sum += x;
      squares += x * x;
      neighbours += x * before;
      before = x;
    }
    EXPECT_NEAR(sum / kNumber, 0, 0.06);
    EXPECT_NEAR(squares / kNumber, 1, 0.06);
    EXPECT_NEAR(neighbours / kNumber, memory, 0.06);
  }
}

TEST(StimulusSource, PointsAreJoinedOrHeld) {
  StimulusSegment points;
  points.shape = Shape::points;
  points.points = {{10 * kMs, 1}, {20 * kMs, 3}};
  EXPECT_EQ(at(points, 0), 1);
  EXPECT_EQ(at(points, 15 * kMs), 2);
  EXPECT_EQ(at(points, 90 * kMs), 3);
  points.holds = true;
  EXPECT_EQ(at(points, 15 * kMs), 1);
}

}  // namespace
}  // namespace tactus::executive::stimulus_source_test
