// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/time_sync.hpp"

#include <algorithm>

#include "drivers/silkit/core/call.hpp"

namespace tactus::silkit {

void TimeSync::add(Peer peer, bool wants_dynamic) {
  if (!has(peer)) others_.push_back({peer, {-1, 0}, wants_dynamic});
}

void TimeSync::remove(Peer peer) {
  std::erase_if(others_, [&](const Other& other) { return other.peer == peer; });
}

bool TimeSync::has(Peer peer) const {
  return std::ranges::any_of(others_, [&](const Other& other) { return other.peer == peer; });
}

bool TimeSync::update(Peer peer, const NextSimTask& task) {
  for (Other& other : others_) {
    if (other.peer != peer) continue;
    const bool forward = task.time_ns >= other.task.time_ns;
    other.task = task;
    return forward;
  }
  return false;
}

std::optional<NextSimTask> TimeSync::request() {
  if (next_.time_ns == told_) return std::nullopt;
  told_ = next_.time_ns;
  return next_;
}

bool TimeSync::awaits(const std::function<bool(Peer)>& kind) const {
  return told_ == next_.time_ns && std::ranges::any_of(others_, [&](const Other& other) {
           return other.task.time_ns < next_.time_ns && kind(other.peer);
         });
}

std::optional<NextSimTask> TimeSync::position() const {
  if (!begun()) return std::nullopt;
  return told_ == next_.time_ns ? next_ : current_;
}

bool TimeSync::ready() const {
  const auto is_behind = [&](const Other& other) { return other.task.time_ns < next_.time_ns; };
  if (behind_ < others_.size() && is_behind(others_[behind_])) return false;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (!is_behind(others_[i])) continue;
    behind_ = i;
    return false;
  }
  return true;
}

std::optional<TimeSync::Peer> TimeSync::awaited() const {
  if (!begun() || told_ != next_.time_ns || ready()) return std::nullopt;
  return others_[behind_].peer;
}

std::optional<std::int64_t> TimeSync::hop_on() const {
  std::optional<std::int64_t> earliest;
  for (const Other& other : others_)
    if (other.task.time_ns > other.task.duration_ns)
      earliest = std::min(earliest.value_or(other.task.time_ns), other.task.time_ns);
  return earliest;
}

NextSimTask TimeSync::take_step(bool dynamic) {
  current_ = next_;
  if (dynamic) {
    for (const Other& other : others_) {
      for (const std::int64_t at :
           {other.task.time_ns, later_time(other.task.time_ns, other.task.duration_ns)})
        if (at > current_.time_ns)
          current_.duration_ns = std::min(current_.duration_ns, at - current_.time_ns);
    }
  }
  next_.time_ns = later_time(current_.time_ns, current_.duration_ns);
  return current_;
}

bool TimeSync::somebody_is_dynamic() const {
  return std::ranges::any_of(others_, [](const Other& other) { return other.wants_dynamic; });
}

}  // namespace tactus::silkit
