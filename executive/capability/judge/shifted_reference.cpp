// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/shifted_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tactus::executive {

ShiftedReference::ShiftedReference(const CompiledShift& shift)
    : shift_(shift),
      margins_(static_cast<std::size_t>(2 * shift.frames + 1)),
      compared_(static_cast<std::size_t>(2 * shift.frames + 1)) {
  begin_anew();
}

void ShiftedReference::begin_anew() TACTUS_RT {
  for (double& margin : margins_) margin = std::numeric_limits<double>::infinity();
  for (std::int64_t& frames : compared_) frames = 0;
  taken_ = 0;
}

double ShiftedReference::reference(std::int64_t k) const TACTUS_RT {
  const std::vector<double>& values = *shift_.reference;
  if (k < 0 || k >= static_cast<std::int64_t>(values.size())) return std::numeric_limits<double>::quiet_NaN();
  return values[static_cast<std::size_t>(k)] * shift_.factor + shift_.offset;
}

void ShiftedReference::take(std::int64_t k, double value, double tolerance,
                            Monitor::Sample& sample) TACTUS_RT {
  sample.holds = std::numeric_limits<double>::quiet_NaN();
  ++taken_;
  if (std::isnan(value) || std::isnan(tolerance)) return;
  double best = -std::numeric_limits<double>::infinity();
  bool any = false;
  for (std::int64_t by = -shift_.frames; by <= shift_.frames; ++by) {
    const auto place = static_cast<std::size_t>(by + shift_.frames);
    const double other = reference(k - by);
    if (!std::isnan(other)) {
      margins_[place] = std::min(margins_[place], tolerance - std::abs(value - other));
      ++compared_[place];
      any = true;
    }
    best = std::max(best, margins_[place]);
  }
  if (!any) return;  // the recording has no value near this frame
  sample.holds = best >= 0 ? 1 : 0;
  sample.margin = best * shift_.margin_factor;
}

/// Says how well a shift has fitted; one that has met the recording in less than half of the frames has not.
double ShiftedReference::fit(std::int64_t by) const {
  const auto place = static_cast<std::size_t>(by + shift_.frames);
  const bool enough = compared_[place] > 0 && 2 * compared_[place] >= taken_;
  return enough ? margins_[place] : -std::numeric_limits<double>::infinity();
}

bool ShiftedReference::has_compared() const { return fit(best()) >= 0; }

std::int64_t ShiftedReference::best() const {
  std::int64_t best = 0;
  for (std::int64_t by = 0; by <= shift_.frames; ++by)
    for (const std::int64_t each : {by, -by})  // the smallest of those that are alike
      if (fit(each) > fit(best)) best = each;
  return best;
}

}  // namespace tactus::executive
