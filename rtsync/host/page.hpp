// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstddef>

namespace tactus::rtsync {

/// Bytes of a page of this machine: a power of two.                                                @when any
inline std::size_t page_bytes() noexcept {
  static const long bytes = ::sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 4096;
}

}  // namespace tactus::rtsync
