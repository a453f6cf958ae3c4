// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/client_lines.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tactus::drivers::trick {

void ClientLines::announce(std::string line) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(std::move(line));
}

void ClientLines::add(std::string line, Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  const double seconds = std::chrono::duration<double>(std::max(now - filled_, Nanoseconds{0})).count();
  left_ = std::min(kAtOnce, left_ + seconds * kPerSecond);
  filled_ = std::max(filled_, now);
  if (left_ < 1) {
    ++left_out_;
    return;
  }
  left_ -= 1;
  if (line.size() > kLongest) line.resize(kLongest);
  lines_.push_back(std::move(line));
}

std::vector<std::string> ClientLines::take(Nanoseconds now, bool last) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = std::exchange(lines_, {});
  if (left_out_ > 0 && (last || now >= count_at_)) {
    lines.push_back("Trick's variable server: " + std::to_string(std::exchange(left_out_, 0)) +
                    " more lines about clients were left out");
    count_at_ = now + kCountAgain;
  }
  return lines;
}

}  // namespace tactus::drivers::trick
