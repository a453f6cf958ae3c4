// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>

namespace tactus::test {

/// The build says so, as Clang and GCC do it in different words.
#ifdef TACTUS_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// ThreadSanitizer has a thread of its own, and writes to files that a limit on their size hits.
#ifdef __has_feature
constexpr bool kThreadSanitized = __has_feature(thread_sanitizer);
#elif defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitized = true;
#else
constexpr bool kThreadSanitized = false;
#endif

/// Under an emulator of another processor, which has page faults of its own and takes ten times as long.
#ifdef TACTUS_EMULATED
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

/// True in `scripts/test --nightly`, which has the time for all variants of a test.
inline bool by_night() {
  static const bool night = std::getenv("TACTUS_NIGHTLY") != nullptr;
  return night;
}

/// How many random trials, cuts or kills: all `at_night`; by day a third, of the same seeds; under a sanitizer or an
/// emulator, where each takes so much longer, a tenth. At least one.
inline int trials(int at_night) {
  return std::max(1, at_night / (kSanitized || kEmulated ? 10 : by_night() ? 1 : 3));
}

}  // namespace tactus::test
