// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/core/service.hpp"

namespace tactus::silkit {

/// Throws Refusal for a handler that is null.
template <class Handler>
Handler wanted(Handler handler) {
  if (!handler || !*handler) throw Refusal(Code::bad_parameter, "handler must not be null");
  return handler;
}

/// Handlers of the user's of one kind, numbered from 0. A handler that is removed before its turn is not called.
///
/// Threads  one at a time. It stays where it is.
template <class Handler>
class NumberedHandlers {
 public:
  std::uint64_t add(Handler handler) {
    handlers_.emplace(next_, wanted(std::move(handler)));
    return next_++;
  }
  /// Adds it in place of all others.
  std::uint64_t replace(Handler handler) {
    const std::uint64_t id = add(std::move(handler));
    handlers_.erase(handlers_.begin(), handlers_.find(id));
    return id;
  }
  RemovedHandler remove(std::uint64_t id) {
    const auto found = handlers_.extract(id);
    return found.empty() ? nullptr : found.mapped();
  }
  bool contains(std::uint64_t id) const { return handlers_.contains(id); }
  bool empty() const { return handlers_.empty(); }

  /// Queues a call of each with `values`; `name`: the name of the handlers, for errors.
  template <class... Values>
  void tell(EngineHost& host, Call::What what, const char* name, const Values&... values) const {
    for (const auto& each : handlers_) {
      Call call;
      call.what = what;
      call.name = name;
      call.handler_id = each.first;
      call.due = [this, id = each.first, values...]() -> std::function<void()> {
        const auto found = handlers_.find(id);
        if (found == handlers_.end()) return nullptr;
        return [handler = found->second, values...] { (*handler)(values...); };
      };
      host.queue(std::move(call));
    }
  }

 private:
  std::map<std::uint64_t, Handler> handlers_;
  std::uint64_t next_ = 0;
};

}  // namespace tactus::silkit
