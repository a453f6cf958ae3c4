// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <filesystem>
#include <string_view>

namespace tactus::drivers::live_http {

/// Secret that a client has to know.
///
/// Threads  immutable.
class Token {
 public:
  static constexpr std::size_t kShortest = 16, kLongest = 256;

  /// Reads the one line of a file that only its owner may read. Throws DeviceError.  @when setup
  static Token read(const std::filesystem::path& file);

  /// Takes as long whatever `shown` is, and wherever it differs.
  bool matches(std::string_view shown) const;

 private:
  explicit Token(std::string_view text);

  std::array<char, kLongest> text_{};  // filled up with zeros
  std::size_t size_ = 0;
};

}  // namespace tactus::drivers::live_http
