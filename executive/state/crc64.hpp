// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::executive {

/// CRC-64/XZ: polynomial 0x42F0E1EBA9EA3693 of ECMA-182, reflected; 0 begins, and the last result continues.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before = 0) noexcept;

}  // namespace tactus::executive
