// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>

namespace tactus::executive {

/// Times of the looks at something that may come soon or late: at first every 0.2 ms, later after an eighth of the time
/// that has passed, at most every 50 ms. What came is seen an eighth late, and a long wait costs twenty looks a second.
///
/// Threads  one.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Patience(Clock::time_point now = Clock::now()) : since_(now) {}

  /// Returns for how long to wait until the next look.
  std::chrono::nanoseconds next(Clock::time_point now = Clock::now()) const {
    using namespace std::chrono_literals;
    return std::clamp<std::chrono::nanoseconds>((now - since_) / 8, 200us, 50ms);
  }

 private:
  Clock::time_point since_;
};

}  // namespace tactus::executive
