// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tactus::rtsync {

/// All that C calls white space.
inline constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

/// Removes the characters of `blanks` at both ends. @when any
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kWhiteSpace) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns true for a byte of a UTF-8 character that is not its first one. @when any
constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The number of characters of a UTF-8 text. @when any
constexpr std::size_t letters_in(std::string_view text) {
  std::size_t letters = 0;
  for (const char c : text) letters += is_continuation(c) ? 0U : 1U;
  return letters;
}

/// Returns true if a text fits a pattern: * is any characters, ? any one. @when any
constexpr bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++t, ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// The first characters of a UTF-8 text, at most that many. @when any
constexpr std::string_view first_letters(std::string_view text, std::size_t most) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!is_continuation(text[i]) && most-- == 0) return text.substr(0, i);
  return text;
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

/// The parts of a text with that character between them, at least one; they may be empty. @when setup or service
inline std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(between);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// "1 frame", "2 frames". @when setup or service
std::string counted(std::integral auto count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace tactus::rtsync
