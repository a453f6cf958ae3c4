// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "rtsync/host/cyclic_check.hpp"

namespace tactus::executive {

/// CRC-64/XZ: polynomial 0x42F0E1EBA9EA3693 of ECMA-182, reflected; 0 begins, and the last result continues.
/// Polynomial and bit order are those of the .xz file format, 1.0.4.
inline std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before = 0) noexcept {
  return rtsync::cyclic_check<std::uint64_t, 0xC96C5795D7870F42U>(bytes, before);
}

}  // namespace tactus::executive
