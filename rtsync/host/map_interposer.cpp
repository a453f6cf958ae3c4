// SPDX-License-Identifier: Apache-2.0
/// Replaces the C library's mmap and its kin, and what else has the kernel take pages, in the executable this
/// is linked into, and notes the calls of threads that asked for it (rtsync/host/map_watch.hpp).
///
/// Link it as an object into executables only, as heap_interposer.cpp. The C library's own calls, such as
/// those of malloc, do not come by here. With a sanitizer, which has an mmap of its own, and without glibc,
/// this file is empty.

#include <cstdlib>  // __GLIBC__

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#ifndef TACTUS_SANITIZED
#define TACTUS_SANITIZED 1
#endif
#endif

#if !defined(TACTUS_SANITIZED) && defined(__GLIBC__) && __SIZEOF_POINTER__ == 8

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <type_traits>

#include "rtsync/host/map_watch.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace {

using tactus::rtsync::kernel_time;
using tactus::rtsync::MapCalls;
using tactus::rtsync::MapLog;

// initial-exec and constinit: as in heap_interposer.cpp.
__attribute__((tls_model("initial-exec"))) constinit thread_local MapLog t_log;
__attribute__((tls_model("initial-exec"))) constinit thread_local bool t_noted = false;

constexpr long kNoCall = -1;

/// The C library's function, so that a thread that sleeps there is seen in it by name. Found for the first thread
/// that is noted; until then the system is called, as dlsym() may itself map memory. What is more than a system call is
/// found when it is called first.
template <class Function>
class Next {
 public:
  constexpr Next(const char* name, long number) : name_(name), number_(number) {}
  void find() noexcept {
    function_.store(reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_)), std::memory_order_relaxed);
  }
  template <class Result, class... Arguments>
  Result call(Arguments... arguments) noexcept {
    if (number_ == kNoCall && function_.load(std::memory_order_relaxed) == nullptr) find();
    if (Function* const function = function_.load(std::memory_order_relaxed)) return function(arguments...);
    const long result = ::syscall(number_, arguments...);
    if constexpr (std::is_pointer_v<Result>)
      return reinterpret_cast<Result>(
          result);  // NOLINT(performance-no-int-to-ptr): an address, or MAP_FAILED
    else
      return static_cast<Result>(result);
  }

 private:
  const char* name_;
  long number_;
  std::atomic<Function*> function_{nullptr};
};

constinit Next<void*(void*, std::size_t, int, int, int, off_t)> next_mmap("mmap", SYS_mmap);
constinit Next<int(void*, std::size_t)> next_munmap("munmap", SYS_munmap);
constinit Next<void*(void*, std::size_t, std::size_t, int, ...)> next_mremap("mremap", SYS_mremap);
constinit Next<int(void*, std::size_t, int)> next_madvise("madvise", SYS_madvise);
constinit Next<int(const void*, std::size_t)> next_mlock("mlock", SYS_mlock);
constinit Next<int(const void*, std::size_t, unsigned)> next_mlock2("mlock2", SYS_mlock2);
constinit Next<int(int)> next_mlockall("mlockall", SYS_mlockall);
constinit Next<int(void*, std::size_t, int)> next_mprotect("mprotect", SYS_mprotect);
constinit Next<int(void*, std::size_t, int, int)> next_pkey_mprotect("pkey_mprotect", SYS_pkey_mprotect);
constinit Next<void*(int, const void*, int)> next_shmat("shmat", SYS_shmat);
constinit Next<int(const void*)> next_shmdt("shmdt", SYS_shmdt);
constinit Next<int(void*)> next_brk("brk", kNoCall);
constinit Next<void*(std::intptr_t)> next_sbrk("sbrk", kNoCall);
constinit Next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> next_pthread_create(
    "pthread_create", kNoCall);

/// One call, measured on threads that asked for it. Beside the call itself a few system calls are nothing.
class Call {
 public:
  explicit Call(std::size_t bytes) noexcept {
    if (!t_noted) return;
    call_.bytes = bytes;
    call_.calls = 1;
    call_.faults = faults();
    call_.begin = kernel_time(CLOCK_MONOTONIC);
    call_.took = kernel_time(CLOCK_THREAD_CPUTIME_ID);  // without what it waits for a lock, or is preempted
  }
  ~Call() {
    if (call_.calls == 0) return;
    call_.took = kernel_time(CLOCK_THREAD_CPUTIME_ID) - call_.took;
    call_.end = kernel_time(CLOCK_MONOTONIC);
    call_.faults = faults() - call_.faults;
    t_log.add(call_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  static std::uint32_t faults() noexcept {
    rusage usage{};
    (void)::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint32_t>(usage.ru_minflt + usage.ru_majflt);
  }
  MapCalls call_;
};

void* map(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const Call call(size);
  return next_mmap.call<void*>(address, size, protection, flags, file, offset);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) MapLog* tactus_map_log_of_this_thread() noexcept;
MapLog* tactus_map_log_of_this_thread() noexcept {
  const auto find = [](auto&... each) { (each.find(), ...); };
  find(next_mmap, next_munmap, next_mremap, next_madvise, next_mlock, next_mlock2, next_mlockall,
       next_mprotect, next_pkey_mprotect, next_shmat, next_shmdt, next_brk, next_sbrk, next_pthread_create);
  t_noted = true;
  return &t_log;
}

__attribute__((visibility("default"))) void* mmap(void* address, std::size_t size, int protection, int flags,
                                                  int file, off_t offset) noexcept {
  return map(address, size, protection, flags, file, offset);
}

__attribute__((visibility("default"))) void* mmap64(void* address, std::size_t size, int protection,
                                                    int flags, int file, off64_t offset) noexcept {
  return map(address, size, protection, flags, file, offset);
}

__attribute__((visibility("default"))) int munmap(void* address, std::size_t size) noexcept {
  const Call call(0);
  return next_munmap.call<int>(address, size);
}

__attribute__((visibility("default"))) void* mremap(void* address, std::size_t old_size, std::size_t new_size,
                                                    int flags, ...) noexcept {
  void* to = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list more;
    va_start(more, flags);
    to = va_arg(more, void*);
    va_end(more);
  }
  const Call call(new_size > old_size ? new_size - old_size : 0);
  return next_mremap.call<void*>(address, old_size, new_size, flags, to);
}

__attribute__((visibility("default"))) int madvise(void* address, std::size_t size, int advice) noexcept {
  const Call call(0);
  return next_madvise.call<int>(address, size, advice);
}

__attribute__((visibility("default"))) int mlock(const void* address, std::size_t size) noexcept {
  const Call call(0);
  return next_mlock.call<int>(address, size);
}

__attribute__((visibility("default"))) int mlock2(const void* address, std::size_t size,
                                                  unsigned flags) noexcept {
  const Call call(0);
  return next_mlock2.call<int>(address, size, flags);
}

__attribute__((visibility("default"))) int mlockall(int flags) noexcept {
  const Call call(0);
  return next_mlockall.call<int>(flags);
}

// Memory that is reserved has its pages, where it is locked, when it may be used first.
__attribute__((visibility("default"))) int mprotect(void* address, std::size_t size,
                                                    int protection) noexcept {
  const Call call(0);
  return next_mprotect.call<int>(address, size, protection);
}

__attribute__((visibility("default"))) int pkey_mprotect(void* address, std::size_t size, int protection,
                                                         int key) noexcept {
  const Call call(0);
  return next_pkey_mprotect.call<int>(address, size, protection, key);
}

__attribute__((visibility("default"))) void* shmat(int segment, const void* address, int flags) noexcept {
  const Call call(0);
  return next_shmat.call<void*>(segment, address, flags);
}

__attribute__((visibility("default"))) int shmdt(const void* address) noexcept {
  const Call call(0);
  return next_shmdt.call<int>(address);
}

__attribute__((visibility("default"))) int brk(void* end) noexcept {
  const Call call(0);
  return next_brk.call<int>(end);
}

__attribute__((visibility("default"))) void* sbrk(std::intptr_t more) noexcept {
  const Call call(more > 0 ? static_cast<std::size_t>(more) : 0);
  return next_sbrk.call<void*>(more);
}

// It maps the new thread's stack.
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*start)(void*), void* argument) noexcept {
  const Call call(0);
  return next_pthread_create.call<int>(thread, attributes, start, argument);
}

}  // extern "C"

#endif
