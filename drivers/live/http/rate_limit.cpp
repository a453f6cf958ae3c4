// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/rate_limit.hpp"

#include <algorithm>

namespace tactus::drivers::live_http {

double RateLimit::filled(const Bucket& bucket, Clock::time_point now) const {
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(per_second_, bucket.left + std::max(passed, 0.0) * per_second_);
}

bool RateLimit::take(const std::string& client, Clock::time_point now) {
  if (buckets_.size() >= kMost && !buckets_.contains(client)) tidy(now);
  if (buckets_.size() >= kMost && !buckets_.contains(client)) return false;
  Bucket& bucket = buckets_.try_emplace(client, Bucket{per_second_, now}).first->second;
  bucket = {filled(bucket, now), now};
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

void RateLimit::tidy(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) { return filled(entry.second, now) >= per_second_; });
}

}  // namespace tactus::drivers::live_http
