// SPDX-License-Identifier: Apache-2.0
// The encoder: what it may lose is one count, never more, never less than it says.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model_host.hpp"

namespace {

using model_host::Instance;

constexpr double kTurn = 2 * std::numbers::pi;

TEST(Encoder, IsNeverMoreThanOneCountBehind) {
  Instance encoder("servo", "encoder");
  encoder.set("lines", 500).initialize();
  const double q = kTurn / 2000;
  double least = 1, most = -1;
  for (int k = 0; k < 100000; ++k) {
    const double angle = 40 * std::sin(1e-3 * k) + 0.3;
    encoder.set("shaft_angle", angle).call("sample", 0, 1e-3, 0);
    const double lost = angle - encoder.get("angle");
    ASSERT_GE(lost, -1e-12);
    ASSERT_LT(lost, q + 1e-12);
    ASSERT_EQ(encoder.get("angle"), encoder.get("count") / 2000 * kTurn);
    least = std::min(least, lost);
    most = std::max(most, lost);
  }
  EXPECT_LT(least, 0.01 * q) << "the whole count is used";
  EXPECT_GT(most, 0.99 * q);
}

// Angles in the middle between two edges, where no rounding can decide.
TEST(Encoder, CountsExactlyOverManyTurnsInBothDirections) {
  for (const int lines : {1, 500, 1000, 2500, 5000}) {
    Instance encoder("servo", "encoder");
    encoder.set("lines", lines).initialize();
    for (const int direction : {1, -1}) {
      for (std::int64_t turn = 0; turn <= 100'000; turn += 997) {
        for (const int count : {0, 1, 3, 4 * lines - 1}) {
          const std::int64_t expected = direction * (turn * 4 * lines + count);
          encoder.set("shaft_angle", (static_cast<double>(expected) + 0.5) * kTurn / (4.0 * lines));
          encoder.call("sample", 0, 1e-3, 0);
          ASSERT_EQ(encoder.get("count"), static_cast<double>(expected)) << lines << " lines, turn " << turn;
        }
      }
    }
  }
}

TEST(Encoder, MeasuresAConstantSpeedToOneCountPerCycle) {
  Instance encoder("servo", "encoder");
  encoder.set("lines", 5000).set("filter", 0).initialize();
  const double speed = -123.4, staircase = kTurn / 20000 / 1e-3;
  double sum = 0;
  for (int k = 0; k <= 10000; ++k) {
    encoder.set("shaft_angle", speed * k * 1e-3).call("sample", 0, 1e-3, k);
    if (k == 0) {
      EXPECT_EQ(encoder.get("speed"), 0) << "one sample has no speed";
      continue;
    }
    ASSERT_NEAR(encoder.get("speed"), speed, staircase * 1.0001);
    sum += encoder.get("speed");
  }
  EXPECT_NEAR(sum / 10000, speed, staircase / 10000 * 2) << "no count is lost over time";
}

TEST(Encoder, NoJumpInSpeedWhenItStartsFarFromZero) {
  Instance encoder("servo", "encoder");
  encoder.initialize();
  for (int k = 0; k < 10; ++k) {
    encoder.set("shaft_angle", 1234.5).call("sample", 0, 1e-3, k);
    EXPECT_EQ(encoder.get("speed"), 0);
  }
}

// At constant acceleration a: the speed shown is that of `age` ago.
TEST(Encoder, TheSpeedIsAsOldAsItsHeaderSays) {
  const double cycle = 1e-3, a = 1000;
  for (const double filter : {0.0, 1e-3, 5e-3}) {
    Instance encoder("servo", "encoder");
    encoder.set("lines", 1'000'000).set("filter", filter).initialize();
    for (int k = 0; k <= 200; ++k) {
      encoder.set("shaft_angle", a / 2 * k * k * cycle * cycle).call("sample", 0, cycle, k);
    }
    const double age = cycle / 2 + (filter > 0 ? cycle / std::expm1(cycle / filter) : 0);
    EXPECT_NEAR((a * 200 * cycle - encoder.get("speed")) / a, age, 1e-5) << filter;
  }
}

TEST(Encoder, RefusesImpossibleParameters) {
  Instance none("servo", "encoder"), back("servo", "encoder");
  none.set("lines", 0);
  EXPECT_NE(none.try_call("initialize"), 0);
  EXPECT_EQ(none.failure(), "lines: 0 lines must be above 0; try 5000");
  back.set("filter", -1e-3);
  EXPECT_NE(back.try_call("initialize"), 0);
  EXPECT_EQ(back.failure(), "filter: -0.001 s must not be below 0; try 1 ms");
}

}  // namespace
