// SPDX-License-Identifier: Apache-2.0
// The matrix exponential against matrices whose exponential is known.
#include "drivers/models/servo/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using servo::exponential;
using servo::Matrix;

TEST(Exponential, OfARotationIsSineAndCosine) {
  for (const double angle : {1e-9, 0.1, 0.49, 0.51, 1.0, 3.0, 100.0}) {
    const Matrix<2> e = exponential(Matrix<2>{{{0, -angle}, {angle, 0}}});
    EXPECT_NEAR(e[0][0], std::cos(angle), 1e-15 * (1 + 4 * angle)) << angle;
    EXPECT_NEAR(e[1][0], std::sin(angle), 1e-15 * (1 + 4 * angle)) << angle;
    EXPECT_EQ(e[0][0], e[1][1]);
    EXPECT_EQ(e[0][1], -e[1][0]);
  }
}

TEST(Exponential, OfADiagonalIsThatOfItsNumbers) {
  const Matrix<3> e = exponential(Matrix<3>{{{-40, 0, 0}, {0, 0, 0}, {0, 0, 0.5}}});
  EXPECT_NEAR(e[0][0], std::exp(-40), 1e-13 * std::exp(-40));
  EXPECT_EQ(e[1][1], 1);
  EXPECT_NEAR(e[2][2], std::exp(0.5), 3e-14) << "7 squarings, each may double the rounding";
  EXPECT_EQ(e[0][1], 0);
}

TEST(Exponential, OfAChainOfIntegratorsIsAPolynomial) {
  const double t = 7;
  const Matrix<4> e = exponential(Matrix<4>{{{0, t, 0, 0}, {0, 0, t, 0}, {0, 0, 0, t}, {0, 0, 0, 0}}});
  EXPECT_DOUBLE_EQ(e[0][1], t);
  EXPECT_DOUBLE_EQ(e[0][2], t * t / 2);
  EXPECT_DOUBLE_EQ(e[0][3], t * t * t / 6);
  EXPECT_EQ(e[3][0], 0);
}

}  // namespace
