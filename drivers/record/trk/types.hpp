// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <cstdint>

namespace tactus::drivers::record {

/// Name of a type in Trick's files.
struct TrkType {
  tactus_type type;
  std::int32_t code;  ///< code in .trk of version 10; one less in versions 05 and 07
  std::int32_t bytes;
  const char* word;  ///< word in .header
};

inline constexpr TrkType kTrkTypes[] = {{TACTUS_BOOL, 17, 1, "unsigned_char"},
                                        {TACTUS_INT8, 1, 1, "char"},
                                        {TACTUS_UINT8, 2, 1, "unsigned_char"},
                                        {TACTUS_INT16, 4, 2, "short"},
                                        {TACTUS_UINT16, 5, 2, "unsigned_short"},
                                        {TACTUS_INT32, 6, 4, "int"},
                                        {TACTUS_UINT32, 7, 4, "unsigned_int"},
                                        {TACTUS_INT64, 14, 8, "long_long"},
                                        {TACTUS_UINT64, 15, 8, "unsigned_long_long"},
                                        {TACTUS_FLOAT, 10, 4, "float"},
                                        {TACTUS_DOUBLE, 11, 8, "double"}};

constexpr const TrkType& trk_type(tactus_type type) {
  for (const TrkType& each : kTrkTypes)
    if (each.type == type) return each;
  return kTrkTypes[10];
}

}  // namespace tactus::drivers::record
