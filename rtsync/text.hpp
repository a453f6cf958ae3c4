// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tactus::rtsync {

/// All that C calls white space.
inline constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

/// Removes the characters of `blanks` at both ends. @when any
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kWhiteSpace) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The number that a text is; nothing: it is none, has more behind it, or does not fit in T. `form`: the base, or
/// std::chars_format. @when any
template <class T, class... Form>
std::optional<T> read_number(std::string_view text, Form... form) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, form...);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// "1 frame", "2 frames". @when setup or service
std::string counted(std::integral auto count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace tactus::rtsync
