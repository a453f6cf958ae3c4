// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>

namespace tactus::rtsync {

/// Measures work that is repeated: the least of four times, so that neither cold caches nor a CPU that was
/// taken away count. @when setup
template <class Work>
std::chrono::nanoseconds least_time(Work work) {
  std::chrono::nanoseconds least = std::chrono::nanoseconds::max();
  for (int i = 0; i < 4; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - begin);
  }
  return least;
}

}  // namespace tactus::rtsync
