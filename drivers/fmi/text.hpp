// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tactus::drivers::fmi {

/// A text of a foreign file for messages: in quotes, control characters as '?', cut after 120 bytes.
std::string in_quotes(std::string_view text);
/// A foreign text as one line, cut after `most` bytes.
std::string one_line(std::string_view text, std::size_t most = 400);
/// A text as printf() makes it, cut after 511 bytes. Without heap: also inside of frames.
class Line {
 public:
  __attribute__((format(printf, 2, 3))) explicit Line(const char* format, ...) noexcept;
  operator const char*() const noexcept { return text_.data(); }
  std::string str() const { return text_.data(); }

 private:
  std::array<char, 512> text_{};
};
/// Takes the whole text as a number.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}
/// "; did you mean 'speed'?", or nothing if no name is near.
std::string nearest(std::string_view wrong, const std::vector<std::string>& names);
/// "a, b and c".
std::string listed(const std::vector<std::string>& names);

}  // namespace tactus::drivers::fmi
