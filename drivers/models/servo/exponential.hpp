// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The matrix exponential of a small matrix: what turns a linear differential equation into an exact step.
///
///     x' = A x + B u, u constant over dt:   [x(dt); u] = exp([A B; 0 0] dt) [x(0); u]
///
/// Source   C. Van Loan, Computing integrals involving the matrix exponential, IEEE Trans. AC 23 (1978).
/// Method   scaling and squaring: Taylor to order 18 of A / 2^s with norm <= 1/2, where the first term left
///          out is below 2^-70; then squared s times, each of which may double the rounding.
/// RT       no allocation; s <= 64 bounds the work.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace servo {

template <std::size_t N>
using Matrix = std::array<std::array<double, N>, N>;

template <std::size_t N>
Matrix<N> product(const Matrix<N>& a, const Matrix<N>& b) noexcept {
  Matrix<N> c{};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t k = 0; k < N; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

template <std::size_t N>
Matrix<N> exponential(Matrix<N> a) noexcept {
  double norm = 0;
  for (const auto& row : a) {
    double sum = 0;
    for (const double value : row) sum += std::abs(value);
    norm = std::max(norm, sum);
  }
  int squarings = 0;
  for (; norm > 0.5 && squarings < 64; norm /= 2) ++squarings;
  for (auto& row : a) {
    for (double& value : row) value = std::ldexp(value, -squarings);
  }

  Matrix<N> sum{};
  for (std::size_t i = 0; i < N; ++i) sum[i][i] = 1;
  const Matrix<N> identity = sum;
  for (int order = 18; order > 0; --order) {  // Horner: 1 + a (1 + a/2 (1 + a/3 ( ... )))
    sum = product(a, sum);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) sum[i][j] = identity[i][j] + sum[i][j] / order;
    }
  }
  for (; squarings > 0; --squarings) sum = product(sum, sum);
  return sum;
}

}  // namespace servo
