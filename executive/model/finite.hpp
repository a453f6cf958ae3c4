// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
#if defined(__SSE2__)
  const auto* const values = reinterpret_cast<const double*>(data);
  const __m128i no_sign = _mm_set1_epi64x(0x7FFF'FFFF'FFFF'FFFF);
  const __m128i one_exponent = _mm_set1_epi64x(0x0010'0000'0000'0000);
  __m128i carries = _mm_setzero_si128();
  const auto look = [&](__m128d two) TACTUS_RT {  // as carry(), of two at a time
    carries =
        _mm_or_si128(carries, _mm_add_epi64(_mm_and_si128(_mm_castpd_si128(two), no_sign), one_exponent));
  };
  std::uint64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    __m128d two = _mm_load_sd(values + i);
    asm("movhpd %1, %0" : "+x"(two) : "m"(values[i + 1]));
    look(two);
  }
  if (i < count) look(_mm_load_sd(values + i));
  return _mm_movemask_pd(_mm_castsi128_pd(carries)) == 0;
#else
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
#endif
}

}  // namespace tactus::executive
