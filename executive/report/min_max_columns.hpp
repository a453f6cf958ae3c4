// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::report {

/// A curve in at most 1000 columns, however long it is: each holds the least and the greatest value of its
/// time, so that no spike is lost. When there are too many, two become one.
class MinMaxColumns {
 public:
  static constexpr std::size_t kMost = 1000;

  struct Column {
    std::uint64_t count = 0;  ///< 0: nothing came in its time
    double first = 0;
    double last = 0;
    double least = INFINITY;
    double greatest = -INFINITY;

    /// Takes in what came after it.
    void add(const Column& more) {
      if (count == 0) first = more.first;
      if (more.count > 0) last = more.last;
      count += more.count;
      least = std::min(least, more.least);
      greatest = std::max(greatest, more.greatest);
    }
  };

  /// `width`: how much time a column begins with.
  explicit MinMaxColumns(std::int64_t width = 1) : width_(width < 1 ? 1 : width) {}

  /// Times go up; one before the first counts to the first column. A value that is no finite number is
  /// counted and left out.
  void add(std::int64_t time, double value);

  const std::vector<Column>& columns() const { return columns_; }
  std::int64_t begin() const { return begin_; }  ///< beginning of the first column
  std::int64_t width() const { return width_; }
  std::int64_t end() const;  ///< end of the last column
  /// Calls `take` with the beginning of each column with values, in seconds of a time in nanoseconds, and the column.
  template <class Take>
  void each(Take take) const {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].count > 0)
        take((static_cast<double>(begin_) + static_cast<double>(width_) * static_cast<double>(i)) * 1e-9,
             columns_[i]);
  }
  std::uint64_t not_finite() const { return not_finite_; }
  double least() const;  ///< least of all; 0 without any
  double greatest() const;

 private:
  void halve();

  std::vector<Column> columns_;
  std::int64_t begin_ = 0;
  std::int64_t width_;
  std::uint64_t not_finite_ = 0;
};

}  // namespace tactus::report
