// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/tube_values.hpp"

#include <algorithm>
#include <limits>

namespace tactus::executive {

double TubeValues::nearest(std::int64_t frame, double x) const TACTUS_RT {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (x != x || frame < 0 || frame >= static_cast<std::int64_t>(frames.size())) return kNone;
  const auto& [first, end] = frames[static_cast<std::size_t>(frame)];
  if (first == end) return kNone;
  const double* const begin = values.data() + first;
  const double* const behind = values.data() + end;
  const double* const above = std::lower_bound(begin, behind, x);
  if (above == begin) return *begin;
  if (above == behind) return *(behind - 1);
  return x - *(above - 1) <= *above - x ? *(above - 1) : *above;
}

}  // namespace tactus::executive
