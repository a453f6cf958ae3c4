// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace tactus::drivers::record {

/// The CRC-32 of zlib and PNG, of bytes after those whose CRC is `before`.  @when service
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// The CRC-32 of two texts, one after the other, from the CRC of each; `second_bytes`: length of the second. The bytes
/// are not read again: as zlib's crc32_combine() does, it multiplies the first by x^(8 n) modulo the polynomial.
/// @when service
std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

}  // namespace tactus::drivers::record
