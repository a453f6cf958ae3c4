// SPDX-License-Identifier: Apache-2.0
#include "executive/report/min_max_columns.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::report {

void MinMaxColumns::add(std::int64_t time, double value) {
  if (!std::isfinite(value)) return void(++not_finite_);
  if (columns_.empty()) begin_ = time;
  const std::int64_t since = std::max<std::int64_t>(0, time - begin_);
  while (since / width_ >= static_cast<std::int64_t>(kMost)) halve();
  const auto at = static_cast<std::size_t>(since / width_);
  if (at >= columns_.size()) columns_.resize(at + 1);
  Column& column = columns_[at];
  if (column.count++ == 0) {
    column.first = column.least = column.greatest = value;
  } else {
    column.least = std::min(column.least, value);
    column.greatest = std::max(column.greatest, value);
  }
  column.last = value;
}

void MinMaxColumns::halve() {
  width_ *= 2;
  for (std::size_t i = 0; i < columns_.size(); i += 2) {
    Column whole = columns_[i];
    if (i + 1 < columns_.size() && columns_[i + 1].count > 0) {
      const Column& more = columns_[i + 1];
      if (whole.count == 0) {
        whole = more;
      } else {
        whole.count += more.count;
        whole.last = more.last;
        whole.least = std::min(whole.least, more.least);
        whole.greatest = std::max(whole.greatest, more.greatest);
      }
    }
    columns_[i / 2] = whole;
  }
  columns_.resize((columns_.size() + 1) / 2);
}

std::int64_t MinMaxColumns::end() const {
  return begin_ + width_ * static_cast<std::int64_t>(columns_.size());
}

double MinMaxColumns::least() const {
  double least = INFINITY;
  for (const Column& column : columns_)
    if (column.count > 0) least = std::min(least, column.least);
  return std::isinf(least) ? 0 : least;
}

double MinMaxColumns::greatest() const {
  double greatest = -INFINITY;
  for (const Column& column : columns_)
    if (column.count > 0) greatest = std::max(greatest, column.greatest);
  return std::isinf(greatest) ? 0 : greatest;
}

}  // namespace tactus::report
