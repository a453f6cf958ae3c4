// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Single values that a recording has near each frame. Whole numbers have none between two of them: the least and the
/// greatest as an envelope would allow what was never recorded.
///
/// RT  nearest().
struct TubeValues {
  std::vector<double> values{};  ///< values of all frames; those of a frame ascend
  /// Places of each frame from frame 0 on: that of its first value, and the one behind its last.
  std::vector<std::pair<std::size_t, std::size_t>> frames{};

  /// Returns the value near a frame that is nearest to x. NaN: there is none, or x is none.         @when rt
  double nearest(std::int64_t frame, double x) const TACTUS_RT;
};

}  // namespace tactus::executive
