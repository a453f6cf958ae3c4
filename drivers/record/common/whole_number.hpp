// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>
#include <optional>

namespace tactus::drivers::record {

/// The type of a whole number of that many bytes, if there is one.
constexpr std::optional<tactus_type> whole_number(std::int64_t bytes, bool has_sign) {
  switch (bytes) {
    case 1:
      return has_sign ? TACTUS_INT8 : TACTUS_UINT8;
    case 2:
      return has_sign ? TACTUS_INT16 : TACTUS_UINT16;
    case 4:
      return has_sign ? TACTUS_INT32 : TACTUS_UINT32;
    case 8:
      return has_sign ? TACTUS_INT64 : TACTUS_UINT64;
    default:
      return std::nullopt;
  }
}

}  // namespace tactus::drivers::record
