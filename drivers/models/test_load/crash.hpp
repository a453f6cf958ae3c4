// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Ways to kill a process, on purpose and against a compiler that would rather leave them out.
#include <sys/mman.h>

#include <csignal>
#include <cstdint>

namespace test_load {

inline void write_nowhere() {
  // Through a volatile number: no compiler and no sanitizer may see that it points nowhere.
  const volatile std::uintptr_t nowhere = 64;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

#if defined(__x86_64__)
inline void divide_by_zero() { asm volatile("xorl %%ecx, %%ecx; divl %%ecx" ::: "eax", "ecx", "edx"); }
#else
inline void divide_by_zero() { std::raise(SIGFPE); }  // this processor's division does not trap
#endif

inline void touch_beyond_a_file() {
  const int file = ::memfd_create("empty", MFD_CLOEXEC);
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) *static_cast<volatile char*>(page) = 1;
}

}  // namespace test_load
