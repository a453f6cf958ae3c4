// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "rtsync/host/page.hpp"

namespace tactus::rtsync {

/// Memory that a child of fork() does not have, in pages of its own: who continues there as if nothing had
/// happened ends with SIGSEGV at the first touch.
///
/// Threads  any. @when setup
template <class T>
struct UnforkedAllocator {
  using value_type = T;

  UnforkedAllocator() = default;
  template <class U>
  UnforkedAllocator(const UnforkedAllocator<U>&) {}

  /// Throws std::bad_alloc.
  T* allocate(std::size_t count) {
    void* const at =
        ::mmap(nullptr, bytes(count), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    (void)::madvise(at, bytes(count), MADV_DONTFORK);  // every kernel since 2.6.16 knows it
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t count) noexcept { (void)::munmap(at, bytes(count)); }

  friend bool operator==(const UnforkedAllocator&, const UnforkedAllocator&) { return true; }

 private:
  static std::size_t bytes(std::size_t count) {
    const auto page = page_bytes();
    if (count > (SIZE_MAX - page) / sizeof(T)) throw std::bad_alloc();
    return (count * sizeof(T) + page - 1) / page * page;
  }
};

}  // namespace tactus::rtsync
