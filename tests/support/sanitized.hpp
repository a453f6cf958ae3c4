// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::test {

/// The build says so, as Clang and GCC do it in different words.
#ifdef TACTUS_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// So many times fewer rounds of random trials under a sanitizer: they take so much longer, and all rounds run
/// without one.
constexpr int kSlower = kSanitized ? 10 : 1;

}  // namespace tactus::test
