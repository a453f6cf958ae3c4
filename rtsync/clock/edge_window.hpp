// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/clock/edge_grid.hpp"

namespace tactus::rtsync {

/// The newest edges that are not trusted yet, numbered, and what a straight line through them says.
class EdgeWindow {
 public:
  struct Edge {
    std::int64_t stamp, n;
  };
  enum class Fit : std::uint8_t { too_few, good, noisy, wrong_rate };

  explicit EdgeWindow(const EdgeGrid& grid);

  /// Empties it; fit() wants `enough` edges, and up to four times as many while it is in doubt.
  void begin(std::size_t enough) TACTUS_RT;
  void restart() TACTUS_RT { begin(enough_); }
  void push(std::int64_t stamp, std::int64_t n) TACTUS_RT { edges_[size_++] = {stamp, n}; }
  void count_glitch() TACTUS_RT { ++glitches_; }
  /// Keeps one edge less than it takes for a fit.
  void keep_newest() TACTUS_RT;
  /// Numbers its edges by their usual distance, the lower quartile: edges that are missing make distances
  /// longer, and they leave the numbers right.
  void number_by_distance() TACTUS_RT;
  /// Straight line through the edges by least squares. A rate is wrong only beyond doubt: as long as jitter
  /// may be the reason, or makes the rate too vague to begin with, more edges are wanted. `known` is the rate
  /// known before, which is worth more when it is `proven`.
  Fit fit(double known, bool proven) TACTUS_RT;
  double rate() const TACTUS_RT { return rate_; }  ///< found by fit(): deviation from nominal
  /// ns, found by fit(). Good: of the newest edge from the line. Noisy: of the worst one.
  double off() const TACTUS_RT { return off_; }
  double measured_period() const TACTUS_RT { return measured_period_; }  ///< ns, found by fit(): wrong_rate

  bool ready() const TACTUS_RT { return size_ >= need_; }
  std::size_t size() const TACTUS_RT { return size_; }
  const Edge& newest() const TACTUS_RT { return edges_[size_ - 1]; }
  /// Numbers between its edges that did not come.
  std::int64_t missing() const TACTUS_RT {
    return newest().n - edges_[0].n - static_cast<std::int64_t>(size_ - 1);
  }
  /// The number of an edge after the newest one, by a period in ns.
  std::int64_t number_of(std::int64_t stamp, double period) const TACTUS_RT;
  /// The newest number that is half a period or more ago.
  std::int64_t due_by(std::int64_t now, double period) const TACTUS_RT;

 private:
  const EdgeGrid& grid_;
  std::vector<Edge> edges_;
  std::vector<std::int64_t> distances_;
  std::size_t size_ = 0;
  std::size_t enough_ = 0;
  std::size_t need_ = 0;  // more than enough, while the rate is in doubt
  std::int64_t glitches_ = 0;
  double rate_ = 0;
  double off_ = 0;
  double measured_period_ = 0;
};

}  // namespace tactus::rtsync
