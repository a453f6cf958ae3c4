// SPDX-License-Identifier: Apache-2.0
// In a file of its own: inlined into its users, g++ 12 takes malloc and free for a mismatch of new and
// delete.
#include "heap_count.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t calls = 0;
}

namespace model_host {
std::size_t heap_calls() noexcept { return calls; }
}  // namespace model_host

#ifdef TACTUS_COUNTS_HEAP

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++calls;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* block = ::operator new(size, std::nothrow)) return block;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return ::operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif
