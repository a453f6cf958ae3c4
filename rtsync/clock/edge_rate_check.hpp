#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "rtsync/clock/edge_grid.hpp"
#include "rtsync/clock/edge_numbers.hpp"

namespace tactus::rtsync {

/// Whether edges that the loop follows have the right rate after all. Answers the measured period, in ns,
/// when they have not.
class EdgeRateCheck {
 public:
  explicit EdgeRateCheck(const EdgeGrid& grid) : grid_(grid) {}

  /// A loop may follow edges of a wrong rate by moving its phase for ever: their mean rate tells.
  std::optional<double> by_mean(std::int64_t n, std::int64_t stamp) TACTUS_RT {
    if (from_ && n - from_->n < span_) return std::nullopt;
    const std::optional<Edge> from = std::exchange(from_, Edge{n, stamp});
    if (!from) return std::nullopt;
    const double mean = static_cast<double>(stamp - from->stamp) / static_cast<double>(n - from->n);
    const bool holds = std::abs(mean / grid_.period_ns - 1) <= 1.5 * grid_.settings.rate_tolerance;
    return holds ? std::nullopt : std::optional{mean};
  }
  void restart_mean() TACTUS_RT { from_.reset(); }

  /// Edges at half or at one and a half times the rate meet the grid now and then, so neither a row of
  /// missing ones nor the mean rate of the good ones betrays them; but half of them missing or elsewhere for
  /// long does. `followed`: by the loop; otherwise the rate is measured anyway.
  std::optional<double> by_grid(EdgeNumbers::Step step, EdgePassed how, bool followed) TACTUS_RT {
    constexpr std::int64_t kBad = 3;
    constexpr std::int64_t kGood = 2;
    constexpr std::int64_t kMost = 64 * kBad;  // more than any gap that max_missing lets pass should be worth
    numbers_ += step.passed;
    came_ += how == EdgePassed::missing ? 0 : 1;
    // A gap in one piece is a matter of max_missing.
    off_grid_ += kBad * (std::min<std::int64_t>(step.missing, 2) + (how == EdgePassed::rejected ? 1 : 0)) -
                 (how == EdgePassed::accepted ? kGood : 0);
    std::optional<double> measured;
    if (off_grid_ > kMost && followed)
      measured = grid_.period_ns * static_cast<double>(numbers_) /
                 static_cast<double>(std::max<std::int64_t>(came_, 1));
    if (off_grid_ <= 0 || !followed || measured) off_grid_ = numbers_ = came_ = 0;
    return measured;
  }

 private:
  struct Edge {
    std::int64_t n, stamp;
  };
  const EdgeGrid& grid_;
  std::optional<Edge> from_;  // the mean rate is measured from here, over so many edges ...
  // ... that jitter within its limit is worth no more than half the tolerance.
  std::int64_t span_ =
      std::clamp(static_cast<std::int64_t>(
                     std::ceil(4 * grid_.jitter_ns / (grid_.period_ns * grid_.settings.rate_tolerance))),
                 grid_.settings.lock_after, std::int64_t{1'000'000'000});
  std::int64_t off_grid_ = 0;  // a balance; since it was zero ...
  std::int64_t numbers_ = 0;   // ... so many numbers passed ...
  std::int64_t came_ = 0;      // ... and so many edges came
};

}  // namespace tactus::rtsync
