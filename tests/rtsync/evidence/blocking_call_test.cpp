// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/blocking_call.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

// Code that is never run: system calls whose number is loaded, is loaded some instructions before, is nobody's.
extern "C" {
extern const unsigned char tactus_test_after_futex[];
extern const unsigned char tactus_test_after_openat[];
extern const unsigned char tactus_test_after_unknown[];
extern const unsigned char tactus_test_after_none[];
}
#if defined(__x86_64__)
asm(R"(
  .text
  nop; nop; nop; nop; nop; nop; nop; nop
  mov $202, %eax
  syscall
  .globl tactus_test_after_futex
tactus_test_after_futex:
  mov $257, %eax
  mov $1, %edi
  xor %edx, %edx
  syscall
  .globl tactus_test_after_openat
tactus_test_after_openat:
  mov $999, %eax
  syscall
  .globl tactus_test_after_unknown
tactus_test_after_unknown:
  nop
  .globl tactus_test_after_none
tactus_test_after_none:
  ret
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop; nop
  mov x8, #98
  svc #0
  .globl tactus_test_after_futex
tactus_test_after_futex:
  mov w8, #56
  mov x0, #1
  mov x2, #0
  svc #0
  .globl tactus_test_after_openat
tactus_test_after_openat:
  mov x8, #999
  svc #0
  .globl tactus_test_after_unknown
tactus_test_after_unknown:
  nop
  .globl tactus_test_after_none
tactus_test_after_none:
  ret
)");
#endif

namespace tactus::rtsync::blocking_call_test {
namespace {

std::uint64_t address(const unsigned char* code) { return reinterpret_cast<std::uintptr_t>(code); }

#if defined(__x86_64__) || defined(__aarch64__)

TEST(BlockingCall, IsReadFromTheCodeBeforeIt) {
  EXPECT_EQ(blocking_call(address(tactus_test_after_futex)), "futex (a lock, or a condition)");
  EXPECT_EQ(blocking_call(address(tactus_test_after_openat)), "openat");
  EXPECT_EQ(blocking_call(address(tactus_test_after_unknown)), "system call 999");
  EXPECT_EQ(blocking_call(address(tactus_test_after_none)), "") << "no system call ends there";
}

TEST(BlockingCall, IsTheNumberWhereThatIsKnown) {
  EXPECT_EQ(blocking_call(address(tactus_test_after_futex), SYS_fsync), "fsync");
  EXPECT_EQ(blocking_call(address(tactus_test_after_none), 999), "system call 999");
}

TEST(BlockingCall, OfTheCLibraryIsItsFunction) {
#if defined(__x86_64__)
  const unsigned char system_call[] = {0x0f, 0x05};
#else
  const unsigned char system_call[] = {0x01, 0x00, 0x00, 0xd4};
#endif
  for (const char* const name : {"fsync", "fdatasync"}) {
    SCOPED_TRACE(name);
    const auto* const begin = static_cast<const unsigned char*>(::dlsym(RTLD_NEXT, name));
    ASSERT_NE(begin, nullptr);
    Dl_info library{};
    void* entry = nullptr;
    ASSERT_NE(::dladdr1(begin, &library, &entry, RTLD_DL_SYMENT), 0);
    const auto* const end = begin + static_cast<const ElfW(Sym)*>(entry)->st_size;
    const auto* const call = std::search(begin, end, std::begin(system_call), std::end(system_call));
    if (call == end) GTEST_SKIP() << "the C library makes it elsewhere, as glibc does from 2.41 on";
    EXPECT_EQ(blocking_call(address(call + sizeof system_call)), name);
  }
}

#endif

TEST(BlockingCall, CannotBeToldOfWhatIsNoCode) {
  EXPECT_EQ(blocking_call(0), "");
  EXPECT_EQ(blocking_call(1), "");
  static const unsigned char data[64] = {};
  EXPECT_EQ(blocking_call(address(data + 32)), "");
}

}  // namespace
}  // namespace tactus::rtsync::blocking_call_test
