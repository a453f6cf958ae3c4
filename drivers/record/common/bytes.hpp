// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tactus/record_driver.hpp>
#include <type_traits>
#include <vector>

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

/// The bytes of numbers as they are in memory.   @when service
template <class... T>
std::string number_bytes(const T&... values) {
  std::string bytes;
  put(bytes, values...);
  return bytes;
}

/// Puts the values of records one after another, without gaps, as the files hold them: a bool is 0 or 1, even
/// where a model wrote another byte.
class RowPacker {
 public:
  RowPacker() = default;
  /// `columns`: each with its type, and its offset in a record.
  template <class Columns>
  explicit RowPacker(const Columns& columns) {
    for (const auto& column : columns) {
      const std::size_t size = tactus::bytes_of(column.type);
      if (column.type == TACTUS_BOOL) bools_.push_back(bytes_);
      if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == column.offset)
        runs_.back().bytes += size;
      else
        runs_.push_back({column.offset, size});
      bytes_ += size;
    }
  }

  /// Size of a row without the time.
  std::size_t bytes() const { return bytes_; }
  /// Appends the values of a record. @when service
  void append(std::string& to, const std::byte* record) const {
    const std::size_t begin = to.size();
    for (const Run& run : runs_) to.append(reinterpret_cast<const char*>(record + run.offset), run.bytes);
    for (const std::size_t each : bools_) {
      char& byte = to[begin + each];
      byte = byte == 0 ? char{0} : char{1};
    }
  }

 private:
  struct Run {
    std::size_t offset, bytes;
  };
  std::vector<Run> runs_;           // what stands one behind another in the record
  std::vector<std::size_t> bools_;  // in the row
  std::size_t bytes_ = 0;
};

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
