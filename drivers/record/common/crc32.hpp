// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace tactus::drivers::record {

/// The CRC-32 of zlib and PNG, of bytes after those whose CRC is `before`.  @when service
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace tactus::drivers::record
