// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>
#include <optional>

namespace tactus::drivers::record {

/// The type of a whole number of that many bytes, if there is one.
constexpr std::optional<tactus_type> whole_number(std::int64_t bytes, bool has_sign) {
  constexpr tactus_type kTypes[][2] = {{TACTUS_UINT8, TACTUS_INT8},
                                       {TACTUS_UINT16, TACTUS_INT16},
                                       {TACTUS_UINT32, TACTUS_INT32},
                                       {TACTUS_UINT64, TACTUS_INT64}};
  std::int64_t size = 1;
  for (const auto& types : kTypes) {
    if (bytes == size) return types[has_sign ? 1 : 0];
    size *= 2;
  }
  return std::nullopt;
}

}  // namespace tactus::drivers::record
