// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The real-time promise, as part of a signature.
///
/// `TACTUS_RT` marks what may be called inside a frame: bounded, wait-free, no allocation, no lock, no
/// exception, no system call (but a sleeper's sleep). Compilers that know [[clang::nonblocking]] check it;
/// tests count it.

#ifndef __has_cpp_attribute
#define __has_cpp_attribute(x) 0
#endif
#if defined(__clang__) && __has_cpp_attribute(clang::nonblocking)
#define TACTUS_RT noexcept [[clang::nonblocking]]
#else
#define TACTUS_RT noexcept
#endif
