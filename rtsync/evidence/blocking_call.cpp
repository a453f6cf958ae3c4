// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/blocking_call.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "rtsync/word_of.hpp"

namespace tactus::rtsync {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)

/// Those that threads sleep in, and that libraries make in functions without a name of their own.
constexpr Worded<long> kSystemCalls[] = {
    {SYS_futex, "futex (a lock, or a condition)"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect6"},
    {SYS_epoll_pwait, "epoll_pwait"},
#if defined(__x86_64__)  // newer machines do without the old ones
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
#endif
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_sched_yield, "sched_yield"},
    {SYS_openat, "openat"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_msync, "msync"},
    {SYS_ioctl, "ioctl"},
    {SYS_connect, "connect"},
    {SYS_accept, "accept"},
    {SYS_sendto, "sendto"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_mmap, "mmap"},
    {SYS_munmap, "munmap"},
    {SYS_wait4, "wait4"},
};

constexpr std::size_t kMostBefore = 48;  // bytes; the other arguments may be loaded between

#if defined(__x86_64__)

constexpr unsigned char kSyscall[] = {0x0f, 0x05};
constexpr unsigned char kLoadsNumber = 0xb8;  // mov $number, %eax

/// The number of the system call that ends right before `code`; -1: cannot be told.
long number_before(const unsigned char* code, std::size_t before) {
  for (std::size_t back = sizeof kSyscall + 5; back <= before; ++back) {
    if (code[-static_cast<std::ptrdiff_t>(back)] != kLoadsNumber) continue;
    std::uint32_t number = 0;
    std::memcpy(&number, code - back + 1, sizeof number);
    if (number < 1024) return static_cast<long>(number);
  }
  return -1;
}

#else

constexpr unsigned char kSyscall[] = {0x01, 0x00, 0x00, 0xd4};  // svc #0

/// The number of the system call that ends right before `code`; -1: cannot be told.
long number_before(const unsigned char* code, std::size_t before) {
  constexpr std::uint32_t kLoadsNumber = 0x52800008;           // mov w8, #number; x8 has one bit more
  constexpr std::uint32_t kIs = ~((0xffffU << 5) | 1U << 31);  // without the number and that bit
  for (std::size_t back = 2 * sizeof kSyscall; back <= before; back += sizeof kSyscall) {
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, code - back, sizeof instruction);
    if ((instruction & kIs) == kLoadsNumber) return static_cast<long>((instruction >> 5) & 0xffffU);
  }
  return -1;
}

#endif

std::string system_call(long number) {
  if (number < 0) return "";
  const char* const name = word_of(kSystemCalls, number, nullptr);
  return name != nullptr ? name : "system call " + std::to_string(number);
}

/// "open" of "__open64".
std::string public_name(std::string_view name) {
  if (name == "syscall") return "a system call by its number";
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.ends_with("64")) name.remove_suffix(2);
  return std::string(name);
}

#endif

}  // namespace

std::string blocking_call(std::uint64_t code, long number) {
#if defined(__x86_64__) || defined(__aarch64__)
  if (number >= 0) return system_call(number);
  // What the kernel has written, and no pointer of ours.
  const auto* const next = reinterpret_cast<const unsigned char*>(code);  // NOLINT(performance-no-int-to-ptr)
  Dl_info library{};
  if (code == 0 || ::dladdr(next, &library) == 0) return "";
  const auto into = static_cast<std::size_t>(next - static_cast<const unsigned char*>(library.dli_fbase));
  const std::size_t before = std::min(into, kMostBefore);
  if (before < sizeof kSyscall || std::memcmp(next - sizeof kSyscall, kSyscall, sizeof kSyscall) != 0)
    return "";
  const bool system = library.dli_fname != nullptr &&
                      std::string_view(library.dli_fname).find("/libc.so") != std::string_view::npos;
  if (system && library.dli_sname != nullptr) return public_name(library.dli_sname);
  return system_call(number_before(next, before));
#else
  (void)code;
  (void)number;
  return "";
#endif
}

}  // namespace tactus::rtsync
