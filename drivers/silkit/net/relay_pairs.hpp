// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Who is relayed to whom. Only for the inside of net/.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::silkit {

/// The pairs of participants that talk through a relay, so that each can be told of the other's end.
///
/// Threads  a value; one thread at a time.
class RelayPairs {
 public:
  /// True: they had not talked yet.
  bool note(std::string_view one, std::string_view other) {
    const auto its = partners_.find(one);
    if (its != partners_.end() && its->second.contains(other)) return false;
    partners_[std::string(one)].emplace(other);
    partners_[std::string(other)].emplace(one);
    return true;
  }
  /// Forgets one of them. Returns those who have talked with it.
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
