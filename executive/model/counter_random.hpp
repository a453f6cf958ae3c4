// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Random numbers by their place, not by their order: Philox 4x32-10 (Salmon et al., 2011). The number of a frame is the
/// same on any number of threads, after a reset, and from a checkpoint on.
///
/// Threads  immutable.
/// RT       everything.
class CounterRandom {
 public:
  /// `stream`: another sequence of the same seed.
  explicit CounterRandom(std::uint64_t seed = 0, std::uint32_t stream = 0) : seed_(seed), stream_(stream) {}

  std::array<std::uint32_t, 4> bits(std::int64_t place, std::uint32_t element = 0) const TACTUS_RT {
    const auto at = static_cast<std::uint64_t>(place);
    std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), element,
                                   stream_};
    std::uint32_t key0 = static_cast<std::uint32_t>(seed_), key1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = 0xD2511F53ULL * c[0], b = 0xCD9E8D57ULL * c[2];
      c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(b),
           static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(a)};
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    return c;
  }
  /// Returns a number in [0, 1).
  double uniform(std::int64_t place, std::uint32_t element = 0) const TACTUS_RT {
    const auto b = bits(place, element);
    return unit(b[0], b[1]);
  }
  /// Returns a normal one, of mean 0 and standard deviation 1.
  double normal(std::int64_t place, std::uint32_t element = 0) const TACTUS_RT {
    const auto b = bits(place, element);
    return std::sqrt(-2 * std::log(1 - unit(b[0], b[1]))) * std::cos(2 * std::numbers::pi * unit(b[2], b[3]));
  }

 private:
  static double unit(std::uint32_t high, std::uint32_t low) TACTUS_RT {
    return static_cast<double>((static_cast<std::uint64_t>(high) << 21) ^ (low >> 11)) * 0x1p-53;
  }

  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace tactus::executive
