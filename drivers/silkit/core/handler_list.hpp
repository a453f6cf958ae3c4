// SPDX-License-Identifier: Apache-2.0
#pragma once
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
/// Threads  one at a time; what call_with() returns may run beside everything else.
template <class Event>
class HandlerList {
 public:
  std::uint64_t add(Handler<const Event&> handler, std::uint32_t mask = ~0U) {
    if (!handler || !*handler) throw Refusal(Code::bad_parameter, "handler must not be null");
    handlers_.emplace(next_, Entry{std::move(handler), mask});
    return next_++;
  }
  /// False: there is none of that number.
  bool remove(std::uint64_t id) { return handlers_.erase(id) != 0; }
  bool empty() const { return handlers_.empty(); }
  /// A call of all that take it, or nothing.
  std::function<void()> call_with(std::shared_ptr<const Event> event, std::uint32_t bits = ~0U) const {
    std::vector<Handler<const Event&>> takers;
    for (const auto& [id, entry] : handlers_)
      if ((entry.mask & bits) != 0) takers.push_back(entry.handler);
    if (takers.empty()) return nullptr;
    return [event = std::move(event), takers = std::move(takers)] {
      for (const Handler<const Event&>& handler : takers) (*handler)(*event);
    };
  }

 private:
  struct Entry {
    Handler<const Event&> handler;
    std::uint32_t mask;
  };
  std::map<std::uint64_t, Entry> handlers_;
  std::uint64_t next_ = 0;
};

}  // namespace tactus::silkit
