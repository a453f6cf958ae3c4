// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/crc32.hpp"

#include "rtsync/host/cyclic_check.hpp"

namespace tactus::drivers::record {

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  return rtsync::cyclic_check<std::uint32_t, 0xedb88320U>(std::as_bytes(std::span(bytes)), before);
}

}  // namespace tactus::drivers::record
