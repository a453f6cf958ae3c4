// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Returns how long one reading of a clock takes: the shortest of 50 tries, each the mean of 20 readings. A thread may
/// lose its CPU in any of them, so that their mean would say nothing.
///
/// `now` returns a time point, as monotonic_now() does. Takes some 20 us.                        @when setup
template <class Now>
Nanoseconds cost_of_reading(Now now) {
  constexpr int kTries = 50;
  constexpr int kReads = 20;
  Nanoseconds least = Nanoseconds::max();
  for (int i = 0; i < kTries; ++i) {
    const auto begin = now();
    auto end = begin;
    for (int k = 0; k < kReads; ++k) end = now();
    least = std::min<Nanoseconds>(least, (end - begin) / kReads);
  }
  return least;
}

}  // namespace tactus::rtsync
