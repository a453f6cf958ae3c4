// SPDX-License-Identifier: Apache-2.0
#include "executive/report/min_max_columns.hpp"

namespace tactus::report {

void MinMaxColumns::add(std::int64_t time, double value) {
  if (!std::isfinite(value)) return void(++not_finite_);
  if (columns_.empty()) begin_ = time;
  const std::int64_t since = std::max<std::int64_t>(0, time - begin_);
  while (since / width_ >= static_cast<std::int64_t>(kMost)) halve();
  const auto at = static_cast<std::size_t>(since / width_);
  if (at >= columns_.size()) columns_.resize(at + 1);
  columns_[at].add({1, value, value, value, value});
}

void MinMaxColumns::halve() {
  width_ *= 2;
  for (std::size_t i = 0; i < columns_.size(); i += 2) {
    columns_[i / 2] = columns_[i];
    if (i + 1 < columns_.size()) columns_[i / 2].add(columns_[i + 1]);
  }
  columns_.resize((columns_.size() + 1) / 2);
}

std::int64_t MinMaxColumns::end() const {
  return begin_ + width_ * static_cast<std::int64_t>(columns_.size());
}

double MinMaxColumns::least() const {
  double least = INFINITY;
  for (const Column& column : columns_) least = std::min(least, column.least);
  return std::isinf(least) ? 0 : least;
}

double MinMaxColumns::greatest() const {
  double greatest = -INFINITY;
  for (const Column& column : columns_) greatest = std::max(greatest, column.greatest);
  return std::isinf(greatest) ? 0 : greatest;
}

}  // namespace tactus::report
