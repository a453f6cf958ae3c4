// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "drivers/can/codec/field.hpp"

namespace tactus::drivers::can {

/// Bits of a field with factor 1 and offset 0 that stand for a text such as "18446744073709551615": all of them, where a
/// double would lose some. Nothing for a text that does not begin with a whole number of the field's range, as "1.5", "2e3"
/// or the name of a value; what follows a blank is not looked at.                                             @when setup
inline std::optional<std::uint64_t> bits_of_whole(std::string_view text, const Field& field, bool is_signed) {
  const char* const end = text.data() + text.size();
  std::uint64_t natural = 0;
  std::int64_t whole = 0;
  const auto [rest, error] =
      is_signed ? std::from_chars(text.data(), end, whole) : std::from_chars(text.data(), end, natural);
  if (error != std::errc{} || (rest != end && *rest != ' ')) return std::nullopt;
  const std::uint64_t bits = is_signed ? static_cast<std::uint64_t>(whole) : natural;
  if (field.length() == 64) return bits;
  const std::uint64_t most = std::uint64_t{1} << (field.length() - (is_signed ? 1U : 0U));
  const bool fits = is_signed
                        ? whole < static_cast<std::int64_t>(most) && whole >= -static_cast<std::int64_t>(most)
                        : bits < most;
  return fits ? std::optional(bits) : std::nullopt;
}

}  // namespace tactus::drivers::can
