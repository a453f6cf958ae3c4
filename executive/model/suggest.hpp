// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "config/text.hpp"

namespace tactus::executive {

/// Returns how each item is called: `name_of`, a function or member of it.
template <class Range, class NameOf = std::identity>
std::vector<std::string> names_of(const Range& range, NameOf name_of = {}) {
  std::vector<std::string> names;
  for (const auto& item : range) names.emplace_back(std::invoke(name_of, item));
  return names;
}

/// The end of a complaint about a name that is not there: "; did you mean 'step'?", or what there is, if there is any.
/// The names are those that exist (config::meant). `name_of`: how an item is called, as a function or member; without it the items are names.
template <class Range, class NameOf = std::identity>
std::string did_you_mean(const std::string& text, const Range& range, NameOf name_of = {}) {
  const std::vector<std::string> names = names_of(range, name_of);
  if (std::string best = config::meant(text, names); !best.empty()) return best;
  if (names.empty()) return "";
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 12; ++i) list += (i == 0 ? "" : ", ") + names[i];
  return "; there are: " + list + (names.size() > 12 ? ", ..." : "");
}

}  // namespace tactus::executive
