// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace tactus::drivers::live_http {

/// Limit of the requests of each client: a bucket that holds the requests of one second and fills up evenly.
///
/// Threads  one at a time.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimit(double per_second) : per_second_(per_second) {}

  /// Returns true if the client may send a request now; then it counts.
  bool take(const std::string& client, Clock::time_point now);
  /// Forgets clients whose buckets are full again.
  void tidy(Clock::time_point now);
  std::size_t clients() const { return buckets_.size(); }

 private:
  struct Bucket {
    double left;
    Clock::time_point at;
  };
  double filled(const Bucket& bucket, Clock::time_point now) const;

  static constexpr std::size_t kMost = 10'000;
  double per_second_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace tactus::drivers::live_http
