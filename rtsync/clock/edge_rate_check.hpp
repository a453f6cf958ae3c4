// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "rtsync/clock/edge_grid.hpp"
#include "rtsync/clock/edge_numbers.hpp"

namespace tactus::rtsync {

/// Checks that edges which the loop follows have the right rate. Returns the measured period, in ns, if they
/// do not.
class EdgeRateCheck {
 public:
  explicit EdgeRateCheck(const EdgeGrid& grid) : grid_(grid) {}

  /// A loop may follow edges of a wrong rate by moving its phase for ever: their mean rate shows that.
  std::optional<double> by_mean(std::int64_t n, std::int64_t stamp) TACTUS_RT {
    if (from_ && n - from_->n < span_) return std::nullopt;
    const std::optional<Edge> from = std::exchange(from_, Edge{n, stamp});
    if (!from) return std::nullopt;
    const double mean = static_cast<double>(stamp - from->stamp) / static_cast<double>(n - from->n);
    const bool holds = std::abs(mean / grid_.period_ns - 1) <= 1.5 * grid_.settings.rate_tolerance;
    return holds ? std::nullopt : std::optional{mean};
  }
  void restart_mean() TACTUS_RT { from_.reset(); }

 private:
  struct Edge {
    std::int64_t n, stamp;
  };
  const EdgeGrid& grid_;
  std::optional<Edge> from_;  // the mean rate is measured from here, over this number of edges ...
  // ... that jitter within its limit is worth no more than half the tolerance.
  std::int64_t span_ =
      std::clamp(static_cast<std::int64_t>(
                     std::ceil(4 * grid_.jitter_ns / (grid_.period_ns * grid_.settings.rate_tolerance))),
                 grid_.settings.lock_after, std::int64_t{1'000'000'000});
};

}  // namespace tactus::rtsync
