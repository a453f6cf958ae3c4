// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Bytes written as hex digits; spaces between them are for the reader.
#include <string>
#include <string_view>

#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit::sample {

inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return bytes;
}

inline std::string hex(ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 0xFU];
  }
  return text;
}

inline ByteView as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string as_text(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += static_cast<char>(byte);
  return text;
}

}  // namespace tactus::silkit::sample
