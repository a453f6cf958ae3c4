// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace tactus::drivers::live_http {

/// Clients that were turned away, as lines for the log: at most one a second for each reason, with a count.
///
/// Threads  any.
class Refusals {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Why : std::uint8_t { token, origin, host, rate, clients, slow };

  void count(Why why, const std::string& who);
  std::vector<std::string> take_log_lines(Clock::time_point now);

 private:
  static constexpr std::size_t kReasons = 6;
  struct Sum {
    std::int64_t since = 0;  // the last line
    std::string last;        // who
    Clock::time_point told{};
  };
  std::mutex mutex_;
  std::array<Sum, kReasons> sums_;
};

}  // namespace tactus::drivers::live_http
