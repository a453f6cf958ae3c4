// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Has its highest bit set exactly when the value with these bits is nan or infinite: one more in an exponent of
/// all ones carries into the sign.  @when any
inline std::uint64_t carry(std::uint64_t bits) TACTUS_RT {
  return (bits & 0x7FFF'FFFF'FFFF'FFFFU) + 0x0010'0000'0000'0000U;
}
inline std::uint32_t carry(std::uint32_t bits) TACTUS_RT { return (bits & 0x7FFF'FFFFU) + 0x0080'0000U; }

/// Returns true if that many doubles in a row are finite; they lie at multiples of eight. Nothing traps.
/// @when any
///
/// Each is loaded by itself, which the compiler must not put together: a model has just stored them one by
/// one, and a load of two waits until both stores have reached the cache.
inline bool all_finite(const std::byte* data, std::uint64_t count) TACTUS_RT {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(data);
  const auto load = [](const std::uint64_t* word)
                        TACTUS_RT { return __atomic_load_n(word, __ATOMIC_RELAXED); };
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t i = 0;
  for (; i + 3 <= count; i += 3) {
    a |= carry(load(words + i));
    b |= carry(load(words + i + 1));
    c |= carry(load(words + i + 2));
  }
  for (; i < count; ++i) a |= carry(load(words + i));
  return (a | b | c) >> 63 == 0;
}

}  // namespace tactus::executive
