// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/memory.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "rtsync/host/host_file.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/host/rights.hpp"

namespace tactus::rtsync {
namespace {

std::string amount(std::size_t bytes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (bytes >= kMiB && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  return std::to_string((bytes + 1023) / 1024) + " KiB";
}

/// "VmLck" of /proc/self/status, such as "1234 kB"; empty when it cannot be read.
std::string locked_line() {
  const FileText status = read_host_file("/", "/proc/self/status");
  for (const std::string_view line : lines_of(status.text))
    if (line.starts_with("VmLck:")) return std::string{trimmed(line.substr(6))};
  return "";
}

/// Returns how much the kernel reports as locked: the truth beside the return code.
std::string locked_now() {
  if (const std::string line = locked_line(); !line.empty()) return line + " locked";
  return "how much is locked could not be read from /proc/self/status";
}

/// Returns the tool of a model whose library was loaded before the rig; empty: there is none. It reserves terabytes, of which
/// a lock would take all that the machine has.
std::string preloaded_sanitizer() {
#ifndef TACTUS_SANITIZED  // there the tool leaves the lock out
  for (const auto& [symbol, name] :
       {std::pair("__asan_init", "AddressSanitizer"), std::pair("__hwasan_init", "HWAddressSanitizer"),
        std::pair("__tsan_init", "ThreadSanitizer"), std::pair("__msan_init", "MemorySanitizer")})
    if (::dlsym(RTLD_DEFAULT, symbol) != nullptr) return name;
#endif
  return "";
}

Provision lock_all() {
  const std::string what = "all memory locked, now and later";
  if (const std::string tool = preloaded_sanitizer(); !tool.empty())
    return refused(what, "memory that may be paged out",
                   {tool + " is loaded, which reserves more memory than the machine has",
                    "run without it, or with --no-realtime"});
  const Rights rights = read_rights();
  if (!rights.may_lock_all())
    return refused(what, "memory that may be paged out", why_no_memory_lock(rights, 0));
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    const int error = errno;
    ::munlockall();  // MCL_FUTURE may have stuck although MCL_CURRENT failed; munlockall cannot fail
    return refused(what, "memory that may be paged out", why_no_memory_lock(rights, error));
  }
  return granted(what, locked_now());
}

/// Switches huge pages off: with them khugepaged moves memory under a running frame and stalls it at the page
/// table.
Provision no_huge_pages() {
  const std::string what = "no transparent huge pages for this process";
  if (::prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L) == 0) return granted(what, "none");
  return refused(what, "what /sys/kernel/mm/transparent_hugepage/enabled says",
                 {"prctl(PR_SET_THP_DISABLE) answered " + error_words(errno),
                  "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"});
}

Provision keep_heap() {
  const std::string what = "a heap that is never given back to the kernel";
  struct Knob {
    int parameter;
    int value;
    const char* name;
  };
  constexpr Knob kKnobs[] = {
      {M_ARENA_MAX, 1, "M_ARENA_MAX=1"},  // else another thread's malloc opens a fresh, untouched arena
      {M_MMAP_MAX, 0, "M_MMAP_MAX=0"},    // else each large block is a new mapping, and a fault per page
      {M_TRIM_THRESHOLD, -1, "M_TRIM_THRESHOLD=-1"},
      {M_TOP_PAD, 1 << 20, "M_TOP_PAD=1 MiB"},  // grow rarely
  };
  std::string done;
  std::string failed;
  for (const Knob& knob : kKnobs) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): called once, before there are other threads
    std::string& list = ::mallopt(knob.parameter, knob.value) == 1 ? done : failed;
    if (!list.empty()) list += ", ";
    list += knob.name;
  }
  if (failed.empty()) return granted(what, done);
  return refused(what, done.empty() ? "the allocator's defaults" : done,
                 {"the allocator refused " + failed + ": it is not glibc's own (a sanitizer, or LD_PRELOAD)",
                  "start without LD_PRELOAD and without sanitizers"});
}

/// One write per page, which the optimizer must believe in.
__attribute__((noinline)) void touch(void* block, std::size_t bytes) {
  auto* const at = static_cast<volatile unsigned char*>(block);
  for (std::size_t i = 0; i < bytes; i += page_bytes()) at[i] = 0;
  if (bytes > 0) at[bytes - 1] = 0;
}

Provision touch_heap(std::size_t bytes) {
  const std::string what = "a heap of " + amount(bytes) + " in memory";
#ifdef TACTUS_SANITIZED
  // What it costs there, with the memory that says what each byte is, is a tenth of a short run.
  bytes = std::min(bytes, std::size_t{1} << 16);
#endif
  void* const block = std::malloc(bytes);
  if (block == nullptr)
    return refused(what, "no such heap",
                   {"malloc of " + amount(bytes) + " answered " + error_words(ENOMEM),
                    "ask for less heap, or: free -m; ulimit -v unlimited"});
  touch(block, bytes);
  std::free(block);
  // JobRequest again for the same and count: only if the allocator kept the pages has the touching been of
  // use.
  rusage before{};
  rusage after{};
  const bool counted = ::getrusage(RUSAGE_THREAD, &before) == 0;
  void* const again = std::malloc(bytes);
  if (again != nullptr) touch(again, bytes);
  std::free(again);
  if (!counted || ::getrusage(RUSAGE_THREAD, &after) != 0 || again == nullptr)
    return refused(what, amount(bytes) + " touched once",
                   {"whether the allocator keeps it could not be counted", "see getrusage(2)"});
  const long faults = after.ru_minflt - before.ru_minflt;
  // A sixteenth of the pages, and a few for the counting itself, may come from elsewhere.
  const auto tolerated = static_cast<long>(bytes / page_bytes() / 16 + 8);
  const std::string found =
      amount(bytes) + " touched; using it again cost " + std::to_string(faults) + " page faults";
  if (faults <= tolerated) return granted(what, found);
  return refused(what, found,
                 {"the allocator gave the touched pages back to the kernel: it is not glibc's own",
                  "start without LD_PRELOAD and without sanitizers"});
}

/// The lowest address this thread's stack may use, its guard left out; 0 when unknown.
std::uintptr_t lowest_of_stack() noexcept {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  void* address = nullptr;
  std::size_t bytes = 0;
  std::size_t guard = 0;
  const bool known = ::pthread_attr_getstack(&attributes, &address, &bytes) == 0 &&
                     ::pthread_attr_getguardsize(&attributes, &guard) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!known || address == nullptr) return 0;
  // Whether the guard is counted in the size differs between versions of glibc: leave it out twice.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address is compared, not followed
  return reinterpret_cast<std::uintptr_t>(address) + guard;
}

// Address sanitizing would put this on a fake stack, which is not the one to be touched.
__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) std::size_t touch_stack(
    std::size_t bytes) noexcept {
  auto* const block = static_cast<volatile unsigned char*>(__builtin_alloca(bytes));
  const std::size_t page = page_bytes();
  // From the top down, as a growing stack would: the initial thread's stack is extended page by page.
  for (std::size_t i = bytes; i > 0; i -= std::min(i, page)) block[i - 1] = 0;
  block[0] = 0;
  return bytes;
}

}  // namespace

std::size_t locked_bytes() {
  return 1024 * static_cast<std::size_t>(std::strtoull(locked_line().c_str(), nullptr, 10));
}

std::vector<Provision> prepare_memory(const MemorySettings& settings) {
  std::vector<Provision> provisions;
  // The allocator first: what is locked should be what will be used.
  provisions.push_back(keep_heap());
  if (settings.lock) {
    provisions.push_back(no_huge_pages());
    provisions.push_back(lock_all());
  }
  if (settings.heap_bytes > 0) provisions.push_back(touch_heap(settings.heap_bytes));
  return provisions;
}

std::size_t prefault_stack(std::size_t bytes) noexcept {
  constexpr std::size_t kLeave = 32768;  // for ourselves, and for a signal handler
  const std::uintptr_t lowest = lowest_of_stack();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address is compared, not followed
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (lowest == 0 || here <= lowest + kLeave) return 0;
  bytes = std::min<std::size_t>(bytes, here - lowest - kLeave);
  return bytes == 0 ? 0 : touch_stack(bytes);
}

}  // namespace tactus::rtsync
