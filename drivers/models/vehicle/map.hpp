// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Tables with straight lines between their points: bilinear in two dimensions. Outside, the edge continues.
///
/// Units    the caller's.
/// RT       no allocation; a linear search over a few points.
#include <algorithm>
#include <array>
#include <cstddef>

namespace vehicle {

/// Position of x on an axis: between points `left` and `left + 1`, `part` of the way (0 .. 1).
struct Place {
  std::size_t left;
  double part;
};

/// The points of the axis rise.
template <std::size_t N>
constexpr Place place_on(const std::array<double, N>& axis, double x) noexcept {
  static_assert(N >= 2);
  std::size_t left = 0;
  while (left + 2 < N && x >= axis[left + 1]) ++left;
  return {left, std::clamp((x - axis[left]) / (axis[left + 1] - axis[left]), 0.0, 1.0)};
}

template <std::size_t N>
constexpr double interpolate(const std::array<double, N>& axis, const std::array<double, N>& values,
                             double x) noexcept {
  const Place p = place_on(axis, x);
  return values[p.left] + p.part * (values[p.left + 1] - values[p.left]);
}

template <std::size_t N, std::size_t M>
constexpr double interpolate(const std::array<double, N>& rows, const std::array<double, M>& columns,
                             const std::array<std::array<double, M>, N>& values, double row,
                             double column) noexcept {
  const Place p = place_on(rows, row);
  const double low = interpolate(columns, values[p.left], column);
  const double high = interpolate(columns, values[p.left + 1], column);
  return low + p.part * (high - low);
}

}  // namespace vehicle
