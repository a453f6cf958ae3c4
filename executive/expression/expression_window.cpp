// SPDX-License-Identifier: Apache-2.0
#include "executive/expression/expression_window.hpp"

#include <bit>
#include <limits>

namespace tactus::executive {

using config::Cell;
using config::kNoWhole;

ExpressionWindow::ExpressionWindow(Combine combine, std::int64_t ticks)
    : combine_(combine),
      ticks_(static_cast<std::size_t>(ticks)),
      leaves_(std::bit_ceil(ticks_)),
      tree_(2 * leaves_) {
  begin_anew();
}

Cell ExpressionWindow::neutral() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (combine_) {
    case Combine::least:
      return {.real = kInfinity};
    case Combine::greatest:
      return {.real = -kInfinity};
    case Combine::sum:
      return {.real = 0};
    case Combine::least_whole:
      return {.whole = kNoWhole - 1};
    case Combine::greatest_whole:
      break;
  }
  return {.whole = -kNoWhole};
}

Cell ExpressionWindow::combined(Cell a, Cell b) const TACTUS_RT {
  const auto no_value = [&] { return a.whole == kNoWhole || b.whole == kNoWhole; };
  switch (combine_) {
    case Combine::least:
      return {.real = a.real != a.real || a.real < b.real ? a.real : b.real};
    case Combine::greatest:
      return {.real = a.real != a.real || a.real > b.real ? a.real : b.real};
    case Combine::sum:
      return {.real = a.real + b.real};
    case Combine::least_whole:
      return {.whole = no_value() ? kNoWhole : a.whole < b.whole ? a.whole : b.whole};
    case Combine::greatest_whole:
      break;
  }
  return {.whole = no_value() ? kNoWhole : a.whole > b.whole ? a.whole : b.whole};
}

void ExpressionWindow::begin_anew() {
  next_ = 0;
  filled_ = 0;
  for (Cell& cell : tree_) cell = neutral();
}

Cell ExpressionWindow::take(Cell value) TACTUS_RT {
  std::size_t node = leaves_ + next_;
  tree_[node] = value;
  while (node > 1) {
    node /= 2;
    tree_[node] = combined(tree_[2 * node], tree_[2 * node + 1]);
  }
  next_ = next_ + 1 == ticks_ ? 0 : next_ + 1;
  if (filled_ < static_cast<std::int64_t>(ticks_)) ++filled_;
  return tree_[1];
}

}  // namespace tactus::executive
