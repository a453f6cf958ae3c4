// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/edge_window.hpp"

#include <algorithm>
#include <cmath>

namespace tactus::rtsync {

EdgeWindow::EdgeWindow(const EdgeGrid& grid) : grid_(grid) {
  const auto capacity = static_cast<std::size_t>(4 * grid.settings.lock_after + 4);
  edges_.resize(capacity);
  distances_.resize(capacity);
}

void EdgeWindow::begin(std::size_t enough) TACTUS_RT {
  size_ = 0;
  enough_ = need_ = enough;
  glitches_ = 0;
}

void EdgeWindow::keep_newest() TACTUS_RT {
  const std::size_t kept = enough_ - 1;
  std::copy_n(edges_.begin() + static_cast<std::ptrdiff_t>(size_ - kept), kept, edges_.begin());
  restart();
  size_ = kept;
}

void EdgeWindow::number_by_distance() TACTUS_RT {
  const std::size_t intervals = size_ - 1;
  for (std::size_t i = 0; i < intervals; ++i) distances_[i] = edges_[i + 1].stamp - edges_[i].stamp;
  const auto begin = distances_.begin();
  const auto quartile = begin + static_cast<std::ptrdiff_t>((intervals - 1) / 4);
  std::nth_element(begin, quartile, begin + static_cast<std::ptrdiff_t>(intervals));
  const double usual = static_cast<double>(std::max<std::int64_t>(1, *quartile));
  edges_[0].n = 0;
  const std::size_t size = size_;
  for (size_ = 1; size_ < size; ++size_) edges_[size_].n = number_of(edges_[size_].stamp, usual);
}

std::int64_t EdgeWindow::number_of(std::int64_t stamp, double period) const TACTUS_RT {
  const double since = static_cast<double>(stamp - newest().stamp);
  return newest().n + std::max<std::int64_t>(1, std::llround(since / period));
}

std::int64_t EdgeWindow::due_by(std::int64_t now, double period) const TACTUS_RT {
  const double since = static_cast<double>(now - newest().stamp);
  return newest().n - 1 + static_cast<std::int64_t>(std::floor(since / period + 0.5));
}

EdgeWindow::Fit EdgeWindow::fit(double known, bool proven) TACTUS_RT {
  const double n = static_cast<double>(size_);
  const double limit = grid_.jitter_ns;
  const double tolerance = grid_.settings.rate_tolerance;

  // A glitch in nearly each interval: it is the edges that are more than they should be.
  const double intervals = n - 1;
  const double glitches = static_cast<double>(glitches_);
  if (glitches_ > 1 && glitches >= 0.75 * intervals) {
    measured_period_ = static_cast<double>(newest().stamp - edges_[0].stamp) / (intervals + glitches);
    return Fit::wrong_rate;
  }

  const auto sum = [this](auto value) {
    double total = 0;
    for (std::size_t i = 0; i < size_; ++i) total += value(edges_[i]);
    return total;
  };
  const auto x = [this](const Edge& edge) { return static_cast<double>(edge.n - edges_[0].n); };
  const auto y = [&](const Edge& edge) {
    return static_cast<double>(edge.stamp - edges_[0].stamp) - x(edge) * grid_.period_ns;
  };
  const double x_mean = sum([&](const Edge& edge) { return x(edge) / n; });
  const double y_mean = sum([&](const Edge& edge) { return y(edge) / n; });
  const auto dx = [&](const Edge& edge) { return x(edge) - x_mean; };
  const auto dy = [&](const Edge& edge) { return y(edge) - y_mean; };
  const double sxx = sum([&](const Edge& edge) { return dx(edge) * dx(edge); });
  const double slope = sum([&](const Edge& edge) { return dx(edge) * dy(edge); }) / sxx;
  double worst = 0;
  const double squares = sum([&](const Edge& edge) {
    const double residual = dy(edge) - slope * dx(edge);
    worst = std::max(worst, std::abs(residual));
    return residual * residual;
  });

  const double rate = slope / grid_.period_ns;
  const double freedom = n - 2;
  const double error = std::sqrt(squares / freedom / sxx) / grid_.period_ns;  // standard error of the rate
  const double beyond = std::abs(rate) - tolerance;
  // What jitter may do to the rate: at worst, when each edge is off by its limit (if none is by more, and no
  // clock that was followed before has begun to jitter); or as the residuals say, with a margin for how little a
  // few of them say.
  const double by_residuals = (12 + 3000 / (freedom * freedom * freedom)) * error;
  const double lever = sum([&](const Edge& edge) { return std::abs(dx(edge)); });
  const double at_worst = limit * lever / sxx / grid_.period_ns;
  if (beyond > 0 && beyond > (worst > limit || proven ? by_residuals : std::min(at_worst, by_residuals))) {
    measured_period_ = grid_.period_ns * (1 + rate);
    return Fit::wrong_rate;
  }
  if (worst > limit) {
    off_ = worst;
    return Fit::noisy;
  }
  // A loop that starts with a rate that it is not allowed to make up for by its phase would run away.
  const bool vague = !proven && error > grid_.settings.slew / 4;
  if ((beyond > 0 || vague) && need_ < 4 * enough_ - 3) {
    need_ = 2 * need_ - 1;
    return Fit::too_few;
  }
  // The less the edges say about the rate, the more weight has what was known before.
  const double spread = tolerance / (proven ? 10 : 2);
  const double weight = spread * spread / (spread * spread + error * error);
  rate_ = std::clamp(known + (rate - known) * weight, -tolerance, tolerance);
  off_ = dy(newest()) - rate_ * grid_.period_ns * dx(newest());
  return Fit::good;
}

}  // namespace tactus::rtsync
