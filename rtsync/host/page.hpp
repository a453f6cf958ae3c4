// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>

namespace tactus::rtsync {

/// Bytes of a page of this machine: a power of two.                                                @when any
inline std::size_t page_bytes() noexcept {
  static const long bytes = ::sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 4096;
}

struct Unmap {
  std::size_t bytes = 0;
  void operator()(void* memory) const noexcept { (void)::munmap(memory, bytes); }
};
/// Owns what mmap(2) gave, and unmaps it.
using Mapping = std::unique_ptr<void, Unmap>;

}  // namespace tactus::rtsync
