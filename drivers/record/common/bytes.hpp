// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace tactus::drivers::record {

// All formats here are little endian.
static_assert(std::endian::native == std::endian::little, "swap the bytes of numbers here");

/// Appends numbers as they are in memory.   @when service
template <class... T>
void put(std::string& to, const T&... values) {
  static_assert((std::is_arithmetic_v<T> && ...));
  const auto one = [&to](const auto& value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof bytes);
  };
  (one(values), ...);
}

/// The bytes of a file of unknown origin, read from front to back. Each function throws std::runtime_error
/// instead of reading beyond the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return at_ > bytes_.size() ? 0 : bytes_.size() - at_; }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > left()) throw std::runtime_error("is cut off");
    const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(bytes));
    at_ += static_cast<std::size_t>(bytes);
    return taken;
  }
  void skip(std::uint64_t bytes) { (void)take(bytes); }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

}  // namespace tactus::drivers::record
