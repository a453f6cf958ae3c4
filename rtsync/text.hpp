// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace tactus::rtsync {

/// All that C calls white space.
inline constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

/// Removes the characters of `blanks` at both ends. @when any
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kWhiteSpace) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace tactus::rtsync
