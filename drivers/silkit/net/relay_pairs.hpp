// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Treatment of a message by a relay, and the pairs of relayed participants.
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "drivers/silkit/wire/proxy_message.hpp"

namespace tactus::silkit {

/// Fate of a message that its sender may send.
enum class RelayFate : std::uint8_t {
  passed_on,     ///< passed on to its destination
  begins,        ///< passed on to its destination, and the two have not talked before
  answered_end,  ///< its sender learns that no participant is there
  dropped,       ///< it was under way when the other one left
};

/// The pairs of participants that talk through a relay, so that each can be informed of the other's end.
///
/// Threads  a value; one thread at a time.
class RelayPairs {
 public:
  /// `is_there`: its destination is, and takes relayed messages.
  RelayFate take(const ProxyMessage& message, bool is_there) {
    if (!is_there) return is_announcement(message.payload) ? RelayFate::answered_end : RelayFate::dropped;
    if (!message.payload.empty())
      return note(message.source, message.destination) ? RelayFate::begins : RelayFate::passed_on;
    part(message.source, message.destination);
    return RelayFate::passed_on;
  }
  /// Notes a pair. True: the two had not talked yet.
  bool note(std::string_view one, std::string_view other) {
    const auto its = partners_.find(one);
    if (its != partners_.end() && its->second.contains(other)) return false;
    partners_[std::string(one)].emplace(other);
    partners_[std::string(other)].emplace(one);
    return true;
  }
  /// Forgets one of them. Returns those that have talked with it.
  std::set<std::string, std::less<>> leave(std::string_view name) {
    const auto its = partners_.find(name);
    if (its == partners_.end()) return {};
    std::set<std::string, std::less<>> partners = std::move(its->second);
    partners_.erase(its);
    for (const std::string& partner : partners) {
      const auto other = partners_.find(partner);
      if (other == partners_.end()) continue;
      if (const auto self = other->second.find(name); self != other->second.end()) other->second.erase(self);
      if (other->second.empty()) partners_.erase(other);
    }
    return partners;
  }
  /// They talk no more.
  void part(std::string_view one, std::string_view other) {
    for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}}) {
      const auto its = partners_.find(from);
      if (its == partners_.end()) continue;
      if (const auto found = its->second.find(to); found != its->second.end()) its->second.erase(found);
      if (its->second.empty()) partners_.erase(its);
    }
  }
  bool empty() const { return partners_.empty(); }

 private:
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> partners_;
};

}  // namespace tactus::silkit
