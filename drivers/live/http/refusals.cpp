// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/refusals.hpp"

namespace tactus::drivers::live_http {
namespace {

constexpr std::array<const char*, 6> kWords = {
    "without the right token",     "from pages of another origin",
    "for another host name",       "above live.http.max_rate",
    "above live.http.max_clients", "dropped: not complete within live.http.request_timeout"};

}  // namespace

void Refusals::count(Why why, const std::string& who) {
  const std::lock_guard lock(mutex_);
  Sum& sum = sums_.at(static_cast<std::size_t>(why));
  ++sum.since;
  sum.last = who;
}

std::vector<std::string> Refusals::take_log_lines(Clock::time_point now) {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < kReasons; ++k) {
    Sum& sum = sums_.at(k);
    if (sum.since == 0 || (sum.told != Clock::time_point{} && now - sum.told < std::chrono::seconds(1)))
      continue;
    lines.push_back("http: refused " + std::to_string(sum.since) +
                    (sum.since == 1 ? " request " : " requests ") + kWords.at(k) + " (the last from " +
                    sum.last + ")");
    sum.since = 0;
    sum.told = now;
  }
  return lines;
}

}  // namespace tactus::drivers::live_http
