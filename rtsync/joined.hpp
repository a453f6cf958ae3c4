// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace tactus::rtsync {

/// Returns the texts that `text_of` makes of the items, with `between` between them. Empty ones at the beginning are left
/// out. @when any
template <class Items, class TextOf = std::identity>
std::string joined(const Items& items, std::string_view between = ", ", TextOf text_of = {}) {
  std::string all;
  for (const auto& item : items) {
    if (!all.empty()) all += between;
    all += std::invoke(text_of, item);
  }
  return all;
}

}  // namespace tactus::rtsync
