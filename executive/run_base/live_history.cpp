// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/live_history.hpp"

#include <algorithm>
#include <utility>

namespace tactus::executive {

void LiveHistory::add(config::Json entry, std::optional<std::int64_t> id) {
  const std::lock_guard lock(mutex_);
  if (id) {
    const auto before =
        std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& one) { return one.id == id; });
    if (before != entries_.rend()) {
      bytes_ -= before->bytes;
      entries_.erase(std::next(before).base());
    }
  }
  const std::int64_t number = last_.load(std::memory_order_relaxed) + 1;
  entry["n"] = number;
  const std::size_t bytes = entry.dump(-1, ' ', true, config::Json::error_handler_t::replace).size();
  entries_.push_back({number, id, bytes, std::make_shared<const config::Json>(std::move(entry))});
  bytes_ += bytes;
  while (entries_.size() > most_entries_ || (bytes_ > most_bytes_ && entries_.size() > 1)) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  last_.store(number, std::memory_order_release);
}

void LiveHistory::leave_out(std::int64_t entries) {
  const std::lock_guard lock(mutex_);
  left_out_ += entries;
}

LiveEntries LiveHistory::after(std::int64_t number, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  LiveEntries found;
  found.last = last_.load(std::memory_order_relaxed);
  found.first = entries_.empty() ? found.last + 1 : entries_.front().number;
  found.left_out = left_out_;
  auto at = std::ranges::upper_bound(entries_, number, {}, &Entry::number);
  for (; at != entries_.end() && found.entries.size() < most; ++at) found.entries.push_back(at->json);
  return found;
}

}  // namespace tactus::executive
