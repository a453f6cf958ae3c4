// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/shifted_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tactus::executive {

ShiftedReference::ShiftedReference(const CompiledShift& shift)
    : shift_(shift), margins_(static_cast<std::size_t>(2 * shift.frames + 1)) {
  begin_anew();
}

void ShiftedReference::begin_anew() TACTUS_RT {
  for (double& margin : margins_) margin = std::numeric_limits<double>::infinity();
}

double ShiftedReference::reference(std::int64_t k) const TACTUS_RT {
  const std::vector<double>& values = *shift_.reference;
  if (k < 0 || k >= static_cast<std::int64_t>(values.size())) return std::numeric_limits<double>::quiet_NaN();
  return values[static_cast<std::size_t>(k)] * shift_.factor + shift_.offset;
}

void ShiftedReference::take(std::int64_t k, double value, double tolerance,
                            Monitor::Sample& sample) TACTUS_RT {
  sample.holds = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(value) || std::isnan(tolerance) || std::isnan(reference(k))) return;
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t by = -shift_.frames; by <= shift_.frames; ++by) {
    double& margin = margins_[static_cast<std::size_t>(by + shift_.frames)];
    const double other = reference(k - by);
    if (!std::isnan(other)) margin = std::min(margin, tolerance - std::abs(value - other));
    best = std::max(best, margin);
  }
  sample.holds = best >= 0 ? 1 : 0;
  sample.margin = best;
}

std::int64_t ShiftedReference::best() const {
  std::int64_t best = 0;
  for (std::int64_t by = 0; by <= shift_.frames; ++by)
    for (const std::int64_t each : {by, -by})  // the smallest of those that are alike
      if (margins_[static_cast<std::size_t>(each + shift_.frames)] >
          margins_[static_cast<std::size_t>(best + shift_.frames)])
        best = each;
  return best;
}

}  // namespace tactus::executive
