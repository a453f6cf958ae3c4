// SPDX-License-Identifier: Apache-2.0
/// Replaces the allocator's entry points in the executable this is linked into, counts, and forwards to
/// glibc.
///
/// A model that was built for a sanitizer brings an allocator of its own (LD_PRELOAD): then its entry points are called.
///
/// Link it as an object into executables only: the dynamic linker finds the executable's malloc first, so
/// plug-ins are counted too, and the counters can live at a fixed place of the thread (no allocation on first
/// use, no lock). A sanitizer brings its own allocator; then, and without glibc, this file is empty.
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#ifndef TACTUS_SANITIZED
#define TACTUS_SANITIZED 1
#endif
#endif

#if !defined(TACTUS_SANITIZED) && defined(__GLIBC__)

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): glibc's own names
extern "C" {
void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* block, std::size_t size) noexcept;
void __libc_free(void* block) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void* __libc_valloc(std::size_t size) noexcept;
void* __libc_pvalloc(std::size_t size) noexcept;

// Of a sanitizer's library, if the process has one.
__attribute__((weak)) void* __interceptor_malloc(std::size_t size);
__attribute__((weak)) void* __interceptor_calloc(std::size_t count, std::size_t size);
__attribute__((weak)) void* __interceptor_realloc(void* block, std::size_t size);
__attribute__((weak)) void __interceptor_free(void* block);
__attribute__((weak)) void* __interceptor_memalign(std::size_t alignment, std::size_t size);
__attribute__((weak)) void* __interceptor_valloc(std::size_t size);
__attribute__((weak)) void* __interceptor_pvalloc(std::size_t size);
}

namespace {

// initial-exec: reached at a fixed distance from the thread pointer, never through __tls_get_addr, which may
// itself call malloc. constinit: no guard, no constructor.
__attribute__((tls_model("initial-exec"))) constinit thread_local std::atomic<std::uint64_t> t_calls{0};

__attribute__((tls_model("initial-exec"))) constinit thread_local std::atomic<std::int64_t> t_time{0};
__attribute__((tls_model("initial-exec"))) constinit thread_local bool t_timed = false;

/// Calls the C library's function, or the sanitizer's.
template <class Sanitizer, class Library, class... Arguments>
auto forward(Sanitizer* sanitizer, Library* library, Arguments... arguments) noexcept {
  return sanitizer != nullptr ? sanitizer(arguments...) : library(arguments...);
}

/// One call: counted, and measured on threads that asked for it.
class Call {
 public:
  // One writer per counter: a plain load and store, no locked instruction on every malloc of the process.
  Call() noexcept {
    t_calls.store(t_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (t_timed) begin_ = now();
  }
  ~Call() {
    if (t_timed)
      t_time.store(t_time.load(std::memory_order_relaxed) + now() - begin_, std::memory_order_relaxed);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  static std::int64_t now() noexcept {
    timespec time{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &time);  // cannot fail, and is no system call
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
  std::int64_t begin_ = 0;
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const std::atomic<std::uint64_t>*
tactus_heap_calls_of_this_thread() noexcept;
const std::atomic<std::uint64_t>* tactus_heap_calls_of_this_thread() noexcept { return &t_calls; }

__attribute__((visibility("default"))) const std::atomic<std::int64_t>*
tactus_heap_time_of_this_thread() noexcept;
const std::atomic<std::int64_t>* tactus_heap_time_of_this_thread() noexcept {
  t_timed = true;
  return &t_time;
}

__attribute__((visibility("default"))) void* malloc(std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_malloc, &__libc_malloc, size);
}

__attribute__((visibility("default"))) void* calloc(std::size_t items, std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_calloc, &__libc_calloc, items, size);
}

__attribute__((visibility("default"))) void* realloc(void* block, std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_realloc, &__libc_realloc, block, size);
}

__attribute__((visibility("default"))) void* reallocarray(void* block, std::size_t items,
                                                          std::size_t size) noexcept {
  const Call call;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(items, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return forward(&__interceptor_realloc, &__libc_realloc, block, bytes);
}

__attribute__((visibility("default"))) void free(void* block) noexcept {
  if (block == nullptr) return;
  const Call call;
  forward(&__interceptor_free, &__libc_free, block);
}

__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_memalign, &__libc_memalign, alignment, size);
}

__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_memalign, &__libc_memalign, alignment, size);
}

__attribute__((visibility("default"))) int posix_memalign(void** result, std::size_t alignment,
                                                          std::size_t size) noexcept {
  const Call call;
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int before = errno;  // posix_memalign reports by value and leaves errno alone
  void* const block = forward(&__interceptor_memalign, &__libc_memalign, alignment, size);
  errno = before;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

__attribute__((visibility("default"))) void* valloc(std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_valloc, &__libc_valloc, size);
}

__attribute__((visibility("default"))) void* pvalloc(std::size_t size) noexcept {
  const Call call;
  return forward(&__interceptor_pvalloc, &__libc_pvalloc, size);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#endif
