// SPDX-License-Identifier: Apache-2.0
#include "executive/expression/expression_window.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tactus::executive {

using config::kNoWhole;
using config::Wide;

ExpressionWindow::ExpressionWindow(Combine combine, std::int64_t ticks)
    : combine_(combine), ticks_(static_cast<std::size_t>(ticks)), leaves_(std::bit_ceil(ticks_)) {
  if (combine == Combine::least_whole || combine == Combine::greatest_whole)
    wholes_.resize(2 * leaves_);
  else
    reals_.resize(2 * leaves_);
  begin_anew();
}

void ExpressionWindow::begin_anew() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  next_ = 0;
  filled_ = 0;
  const double real = combine_ == Combine::least ? kInfinity : combine_ == Combine::greatest ? -kInfinity : 0;
  std::ranges::fill(reals_, real);
  std::ranges::fill(wholes_, combine_ == Combine::least_whole ? kNoWhole - 1 : -kNoWhole);
}

/// The leaf of the next value.
std::size_t ExpressionWindow::next_leaf() TACTUS_RT {
  const std::size_t leaf = leaves_ + next_;
  next_ = next_ + 1 == ticks_ ? 0 : next_ + 1;
  if (filled_ < static_cast<std::int64_t>(ticks_)) ++filled_;
  return leaf;
}

/// Puts a value into its leaf, and combines the nodes above it.
template <class T, class Both>
T ExpressionWindow::take(std::vector<T>& tree, std::size_t node, T value, Both both) TACTUS_RT {
  T* const nodes = tree.data();
  nodes[node] = value;
  for (; node > 1; node /= 2) {
    // What was written last stays in a register: only its neighbour is read.
    const T other = nodes[node ^ 1];
    value = (node & 1) == 0 ? both(value, other) : both(other, value);
    nodes[node / 2] = value;
  }
  return value;
}

double ExpressionWindow::take_real(double value) TACTUS_RT {
  const std::size_t leaf = next_leaf();
  switch (combine_) {
    case Combine::least:
      return take(reals_, leaf, value, [](double a, double b) { return a != a || a < b ? a : b; });
    case Combine::greatest:
      return take(reals_, leaf, value, [](double a, double b) { return a != a || a > b ? a : b; });
    default:
      return take(reals_, leaf, value, [](double a, double b) { return a + b; });
  }
}

Wide ExpressionWindow::take_whole(Wide value) TACTUS_RT {
  const std::size_t leaf = next_leaf();
  if (combine_ == Combine::least_whole)
    return take(wholes_, leaf, value, [](Wide a, Wide b) {
      return a == kNoWhole || b == kNoWhole ? kNoWhole : a < b ? a : b;
    });
  return take(wholes_, leaf, value, [](Wide a, Wide b) {
    return a == kNoWhole || b == kNoWhole ? kNoWhole : a > b ? a : b;
  });
}

}  // namespace tactus::executive
