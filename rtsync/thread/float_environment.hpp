// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Floating-point environment of a thread: rounding, traps, denormals, precision. Not the flags that
/// calculations raise.
///
///     const FloatEnvironment before = FloatEnvironment::of_this_thread();
///     run_foreign_code();
///     if (!before.is_current()) before.restore();
///
/// Threads  any; each has its own.
/// RT       all of it. To compare takes about as long as a read of memory.
class FloatEnvironment {
 public:
  static FloatEnvironment of_this_thread() TACTUS_RT {
    FloatEnvironment now;
#if defined(__x86_64__)
    std::uint16_t word = 0;
    asm volatile("fnstcw %0" : "=m"(word));
    now.control_ = std::uint64_t{__builtin_ia32_stmxcsr() & ~kFlags} << 16 | word;
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(now.control_));
#endif
    return now;
  }
  bool is_current() const TACTUS_RT { return of_this_thread().control_ == control_; }
  void restore() const TACTUS_RT {
#if defined(__x86_64__)
    const auto word = static_cast<std::uint16_t>(control_);
    asm volatile("fnclex\n\tfldcw %0" : : "m"(word));  // a flag must not trap as soon as it may
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(control_ >> 16));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control_));
#endif
  }

 private:
#if defined(__x86_64__)
  static constexpr unsigned kFlags = 0x3F;  // of MXCSR: what calculations raised
#endif
  std::uint64_t control_ = 0;
};

/// Restores the environment of its thread, however foreign code left it.
class FloatEnvironmentGuard {
 public:
  FloatEnvironmentGuard() = default;
  ~FloatEnvironmentGuard() {
    if (!before_.is_current()) before_.restore();
  }
  FloatEnvironmentGuard(const FloatEnvironmentGuard&) = delete;
  FloatEnvironmentGuard& operator=(const FloatEnvironmentGuard&) = delete;

 private:
  FloatEnvironment before_ = FloatEnvironment::of_this_thread();
};

}  // namespace tactus::rtsync
