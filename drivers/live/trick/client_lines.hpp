// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "rtsync/time/period.hpp"

namespace tactus::drivers::trick {

/// Lines for the log. What clients cause is limited for the whole server, so that one that connects again and
/// again causes no more lines than one that stays: some lines at once, then a few in a minute.
///
/// Units    now: nanoseconds of any clock that never goes back.
/// Threads  any.
class ClientLines {
 public:
  static constexpr double kAtOnce = 200;
  static constexpr double kPerSecond = 0.2;
  static constexpr std::size_t kLongest = 400;  ///< bytes of a line
  /// Interval of the lines that report how many were left out.
  static constexpr rtsync::Nanoseconds kCountAgain{60'000'000'000};

  /// Adds a line of the server itself: always.
  void announce(std::string line);
  /// Adds a line that a client caused.
  void add(std::string line, rtsync::Nanoseconds now);
  /// Those since the last call. `last`: none will follow, so what was left out is reported at once.
  std::vector<std::string> take(rtsync::Nanoseconds now, bool last = false);

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  double left_ = kAtOnce;  // lines that may be added
  rtsync::Nanoseconds filled_{0};
  rtsync::Nanoseconds count_at_{0};  // the next line about what was left out
  std::int64_t left_out_ = 0;
};

}  // namespace tactus::drivers::trick
