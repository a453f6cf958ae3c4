#pragma once

namespace tactus::test {

/// So many times fewer rounds of random trials under a sanitizer: they take so much longer, and all rounds run
/// without one.
#ifdef TACTUS_SANITIZED
constexpr int kSlower = 10;
#else
constexpr int kSlower = 1;
#endif

}  // namespace tactus::test
