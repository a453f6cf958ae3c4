// SPDX-License-Identifier: Apache-2.0
#include "executive/state/crc64.hpp"

#include "rtsync/host/cyclic_check.hpp"

namespace tactus::executive {

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before) noexcept {
  // Polynomial and bit order are those of the .xz file format, 1.0.4.
  return rtsync::cyclic_check<std::uint64_t, 0xC96C5795D7870F42U>(bytes, before);
}

}  // namespace tactus::executive
