// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tactus::executive {

/// Calls `does` with a zero of the C++ type that a variable of this type has in memory.             @when any
template <class Does>
constexpr auto with_type(tactus_type type, Does&& does) {
  switch (type) {
    case TACTUS_BOOL:
      return does(bool{});
    case TACTUS_INT8:
      return does(std::int8_t{});
    case TACTUS_UINT8:
      return does(std::uint8_t{});
    case TACTUS_INT16:
      return does(std::int16_t{});
    case TACTUS_UINT16:
      return does(std::uint16_t{});
    case TACTUS_INT32:
      return does(std::int32_t{});
    case TACTUS_UINT32:
      return does(std::uint32_t{});
    case TACTUS_INT64:
      return does(std::int64_t{});
    case TACTUS_UINT64:
      return does(std::uint64_t{});
    case TACTUS_FLOAT:
      return does(float{});
    case TACTUS_DOUBLE:
      break;
  }
  return does(double{});
}

/// A bool is one byte, and a model may have written any value into it.
template <class T>
using StoredAs = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// One element of a variable; a bool is true unless its byte is 0. `data` need not be aligned.  @when any
template <class T>
T load_element(const void* data) noexcept {
  StoredAs<T> value;
  std::memcpy(&value, data, sizeof value);
  return static_cast<T>(value);
}

}  // namespace tactus::executive
