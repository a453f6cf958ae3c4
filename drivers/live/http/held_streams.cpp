// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/held_streams.hpp"

#include <iterator>
#include <utility>

namespace tactus::drivers::live_http {

std::shared_ptr<KeptFrames> HeldStreams::take(const std::string& name,
                                              const std::vector<std::string>& variables) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(name);
  if (found == held_.end()) return nullptr;
  const Held held = std::move(found->second);
  held_.erase(found);
  if (held.variables != variables) return nullptr;
  // Its connection may be lost without that anybody here has noticed.
  if (const auto feed = held.feed.lock()) feed->hand_over();
  return held.frames;
}

void HeldStreams::keep(const std::string& name, std::vector<std::string> variables,
                       std::shared_ptr<KeptFrames> frames, const std::shared_ptr<FrameFeed>& feed) {
  const std::lock_guard lock(mutex_);
  held_[name] = {std::move(variables), std::move(frames), feed};
}

bool HeldStreams::drop_unread() {
  const std::lock_guard lock(mutex_);
  return std::erase_if(held_, [](const auto& each) { return each.second.feed.expired(); }) > 0;
}

void HeldStreams::clear() {
  const std::lock_guard lock(mutex_);
  held_.clear();
}

std::optional<HeldStreams::Clock::time_point> HeldStreams::tick(Clock::time_point now) {
  constexpr std::chrono::milliseconds kAgain{500};  // the rig's ring has room for seconds
  const std::lock_guard lock(mutex_);
  for (auto each = held_.begin(); each != held_.end();) {
    Held& held = each->second;
    if (!held.feed.expired()) {
      ++each;
      continue;
    }
    if (!held.until) held.until = now + kHeld;
    held.frames->take_all();
    each = now >= *held.until ? held_.erase(each) : std::next(each);
  }
  if (held_.empty()) return std::nullopt;
  return now + kAgain;
}

}  // namespace tactus::drivers::live_http
