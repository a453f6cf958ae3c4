// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace tactus::drivers::can {

/// A text as printf() makes it, at most 1023 bytes. @when setup
__attribute__((format(printf, 1, 2))) inline std::string text_of(const char* format, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

}  // namespace tactus::drivers::can
