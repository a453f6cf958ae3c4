// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tactus::silkit {

/// Throttle of log lines that are alike: the first is written, then one per second at most, with how many
/// were left out.
///
/// Threads  a value; one thread at a time.
class LogThrottle {
 public:
  /// Text to append to the line that is due at `now_ns` (any steady clock); nothing: it is left out.
  std::optional<std::string> suffix(std::int64_t now_ns) {
    if (said_ns_ && now_ns - *said_ns_ < kPause) {
      ++left_out_;
      return std::nullopt;
    }
    said_ns_ = now_ns;
    const std::uint64_t missing = std::exchange(left_out_, 0);
    return missing == 0 ? "" : " (" + std::to_string(missing) + " lines like this were left out)";
  }
  /// Number of lines left out since the last one that was written.
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::int64_t kPause = 1'000'000'000;

  std::optional<std::int64_t> said_ns_;
  std::uint64_t left_out_ = 0;
};

}  // namespace tactus::silkit
