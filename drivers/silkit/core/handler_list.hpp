// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "drivers/silkit/core/call.hpp"
#include "drivers/silkit/core/error.hpp"

namespace tactus::silkit {

/// The user's handlers of one kind of event, numbered from 0. Each takes the events that have a bit of its mask.
///
/// Threads  one at a time; what call_with() returns may run beside everything else. It calls none that was removed
///          before its turn.
template <class Event>
class HandlerList {
 public:
  std::uint64_t add(Handler<const Event&> handler, std::uint32_t mask = ~0U) {
    if (!handler || !*handler) throw Refusal(Code::bad_parameter, "handler must not be null");
    handlers_.emplace(next_, std::make_shared<Entry>(std::move(handler), mask));
    return next_++;
  }
  /// Null: there is none of that number.
  RemovedHandler remove(std::uint64_t id) {
    const auto found = handlers_.extract(id);
    if (found.empty()) return nullptr;
    found.mapped()->removed = true;
    return found.mapped();
  }
  bool empty() const { return handlers_.empty(); }
  /// A call of all that take it, or nothing.
  std::function<void()> call_with(std::shared_ptr<const Event> event, std::uint32_t bits = ~0U) const {
    std::vector<std::shared_ptr<Entry>> takers;
    for (const auto& [id, entry] : handlers_)
      if ((entry->mask & bits) != 0) takers.push_back(entry);
    if (takers.empty()) return nullptr;
    return [event = std::move(event), takers = std::move(takers)] {
      for (const std::shared_ptr<Entry>& entry : takers)
        if (!entry->removed) (*entry->handler)(*event);
    };
  }

 private:
  struct Entry {
    Entry(Handler<const Event&> calls, std::uint32_t takes) : handler(std::move(calls)), mask(takes) {}
    const Handler<const Event&> handler;
    const std::uint32_t mask;
    std::atomic<bool> removed = false;
  };
  std::map<std::uint64_t, std::shared_ptr<Entry>> handlers_;
  std::uint64_t next_ = 0;
};

}  // namespace tactus::silkit
