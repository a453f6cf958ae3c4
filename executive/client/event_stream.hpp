// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tactus::client {

/// Decodes server-sent events from bytes as they come.
class EventStream {
 public:
  struct Event {
    std::string kind;  ///< "values"
    std::string data;
  };
  void take(std::string_view bytes, const std::function<void(const Event&)>& event);

 private:
  std::string buffer_;
  Event event_;
};

}  // namespace tactus::client
