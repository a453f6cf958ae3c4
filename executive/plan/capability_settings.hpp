// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <map>
#include <typeindex>
#include <typeinfo>

namespace tactus::executive {

/// Settings of the capabilities: a struct each, found by its type. Those that no rig file has set are those of a
/// default-constructed struct.
///
/// Threads  one thread at setup; read it from any thread after that.
class CapabilitySettings {
 public:
  template <class S>
  const S& of() const {
    const auto found = all_.find(typeid(S));
    return found == all_.end() ? blank<S>() : *std::any_cast<S>(&found->second.settings);
  }
  template <class S>
  S& of() {
    Entry& entry = all_[typeid(S)];
    if (!entry.settings.has_value()) entry = {S{}, &equal<S>};
    return *std::any_cast<S>(&entry.settings);
  }
  bool operator==(const CapabilitySettings& other) const { return holds(other) && other.holds(*this); }

 private:
  struct Entry {
    std::any settings{};
    bool (*equals)(const Entry& entry, const Entry* other) = nullptr;
  };

  template <class S>
  static const S& blank() {
    static const S settings{};
    return settings;
  }
  /// `other` is nullptr for settings that were never set.
  template <class S>
  static bool equal(const Entry& entry, const Entry* other) {
    return *std::any_cast<S>(&entry.settings) ==
           (other == nullptr ? blank<S>() : *std::any_cast<S>(&other->settings));
  }
  bool holds(const CapabilitySettings& other) const {
    for (const auto& [type, entry] : other.all_) {
      const auto own = all_.find(type);
      if (!entry.equals(entry, own == all_.end() ? nullptr : &own->second)) return false;
    }
    return true;
  }

  std::map<std::type_index, Entry> all_{};
};

}  // namespace tactus::executive
