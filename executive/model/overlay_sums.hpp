// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Sums of neighbouring doubles, with the widest vectors of the machine. Each sum is rounded for itself, so its bits are
/// those of one by one.
///
/// Threads  pure functions.
/// RT       all of it.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rtsync/rt.hpp"

namespace tactus::executive {
namespace overlay_sums {

typedef double Four __attribute__((vector_size(4 * sizeof(double))));  // NOLINT(modernize-use-using)
constexpr std::size_t kFour = 4;

/// Makes values at `at` of values at `from`, each with one of `more` added, and keeps them in `shown`; in `truth`, where
/// that is elsewhere, what they were.
template <class Values>
[[gnu::always_inline]] inline void add(std::byte* at, const std::byte* from, std::uint64_t* truth,
                                       std::uint64_t* shown, const double* more) TACTUS_RT {
  Values value, sum;
  std::memcpy(&value, from, sizeof value);
  if (truth != nullptr) std::memcpy(truth, &value, sizeof value);
  std::memcpy(&sum, more, sizeof sum);
  sum = value + sum;
  std::memcpy(shown, &sum, sizeof sum);
  std::memcpy(at, &sum, sizeof sum);
}

[[gnu::always_inline]] inline void show(std::byte* at, std::uint64_t* truth, std::uint64_t* shown,
                                        const double* more, std::size_t count) TACTUS_RT {
  std::size_t i = 0;
  for (; i + kFour <= count; i += kFour, at += sizeof(Four))
    add<Four>(at, at, truth + i, shown + i, more + i);
  for (; i < count; ++i, at += sizeof(double)) add<double>(at, at, truth + i, shown + i, more + i);
}

[[gnu::always_inline]] inline void show_again(std::byte* at, const std::uint64_t* truth, std::uint64_t* shown,
                                              const double* more, std::size_t count) TACTUS_RT {
  const auto* from = reinterpret_cast<const std::byte*>(truth);  // NOLINT(*-reinterpret-cast): as bytes
  std::size_t i = 0;
  for (; i + kFour <= count; i += kFour, at += sizeof(Four), from += sizeof(Four))
    add<Four>(at, from, nullptr, shown + i, more + i);
  for (; i < count; ++i, at += sizeof(double), from += sizeof(double))
    add<double>(at, from, nullptr, shown + i, more + i);
}

#if defined(__x86_64__)
inline const bool is_wide = __builtin_cpu_supports("avx2") != 0;

[[gnu::target("avx2"), gnu::noinline]] inline void wide_show(std::byte* at, std::uint64_t* truth,
                                                             std::uint64_t* shown, const double* more,
                                                             std::size_t count) TACTUS_RT {
  show(at, truth, shown, more, count);
}
[[gnu::target("avx2"), gnu::noinline]] inline void wide_show_again(std::byte* at, const std::uint64_t* truth,
                                                                   std::uint64_t* shown, const double* more,
                                                                   std::size_t count) TACTUS_RT {
  show_again(at, truth, shown, more, count);
}
#endif

}  // namespace overlay_sums

/// Keeps the values of neighbours in `truth`, and shows each of them with `more` added.
inline void show_sums(std::byte* at, std::uint64_t* truth, std::uint64_t* shown, const double* more,
                      std::size_t count) TACTUS_RT {
#if defined(__x86_64__)
  if (count >= overlay_sums::kFour && overlay_sums::is_wide)
    return overlay_sums::wide_show(at, truth, shown, more, count);
#endif
  overlay_sums::show(at, truth, shown, more, count);
}
/// Shows neighbours, whose true values are known, with something else added.
inline void show_sums_again(std::byte* at, const std::uint64_t* truth, std::uint64_t* shown,
                            const double* more, std::size_t count) TACTUS_RT {
#if defined(__x86_64__)
  if (count >= overlay_sums::kFour && overlay_sums::is_wide)
    return overlay_sums::wide_show_again(at, truth, shown, more, count);
#endif
  overlay_sums::show_again(at, truth, shown, more, count);
}

}  // namespace tactus::executive
