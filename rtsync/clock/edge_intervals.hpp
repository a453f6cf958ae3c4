// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "rtsync/clock/edge_grid.hpp"

namespace tactus::rtsync {

/// The rate at which edges come, whatever their phase: a row of equal intervals has one. Edges of 1.2 kHz
/// meet the grid of 1 kHz at every sixth, those of 2 kHz at every second; their intervals betray them.
///
/// Intervals are equal when they differ by no more than two edges' jitter. A longer one (some are missing)
/// counts for nothing, as long as they are the fewer; any other begins a new row; a double is no edge.
///
/// Units    nanoseconds.
class EdgeIntervals {
 public:
  explicit EdgeIntervals(const EdgeGrid& grid) : grid_(grid) {}

  /// Takes an edge. Answers the measured period when it turns out to be wrong.                      @when rt
  std::optional<double> add(std::int64_t stamp) TACTUS_RT {
    if (!last_ || stamp < *last_) {
      last_ = stamp;
      return std::nullopt;
    }
    const auto interval = static_cast<double>(stamp - *last_);
    if (interval <= grid_.jitter_ns) return std::nullopt;  // a double
    last_ = stamp;
    if (!in_row(interval)) return std::nullopt;
    sum_ += interval;
    ++count_;
    const double mean = sum_ / static_cast<double>(count_);
    const double doubt = 1.5 * grid_.settings.rate_tolerance +
                         4 * grid_.jitter_ns / (static_cast<double>(count_) * grid_.period_ns);
    const bool right = std::abs(mean / grid_.period_ns - 1) <= doubt;
    if (right && count_ >= grid_.settings.lock_after) wrong_ = false;
    if (count_ < enough_) return std::nullopt;
    begin();
    return right || std::exchange(wrong_, true) ? std::nullopt : std::optional{mean};
  }
  /// Skips edges that may have come unseen.                                                         @when rt
  void skip() TACTUS_RT { last_.reset(); }
  /// The edges have another rate than they should, until enough of them in a row have the right one. @when rt
  bool wrong() const TACTUS_RT { return wrong_; }

 private:
  bool in_row(double interval) TACTUS_RT {
    if (count_ == 0) return true;
    const double mean = sum_ / static_cast<double>(count_);
    if (std::abs(interval - mean) <= 2 * grid_.jitter_ns) return true;
    if (interval > 1.5 * mean && ++skipped_ <= count_) return false;
    begin();
    return true;
  }
  void begin() TACTUS_RT {
    count_ = skipped_ = 0;
    sum_ = 0;
  }

  const EdgeGrid& grid_;
  const std::int64_t enough_ = std::max<std::int64_t>(32, 4 * grid_.settings.lock_after);
  std::optional<std::int64_t> last_;
  std::int64_t count_ = 0;
  std::int64_t skipped_ = 0;  // longer ones since the row began
  double sum_ = 0;
  bool wrong_ = false;
};

}  // namespace tactus::rtsync
