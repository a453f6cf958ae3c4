// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Shares between 0 and 1 by their place: point `draw`, coordinate `variable`. Each is computed from these two numbers
/// and the seed alone, so it depends on no order, batch or number of workers.
///
/// Threads  immutable; share it freely.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "executive/model/counter_random.hpp"

namespace tactus::campaign {

/// Independent shares: Philox 4x32-10 with the key `seed` and the counter (draw, variable).
class IndependentPoints {
 public:
  explicit IndependentPoints(std::uint64_t seed) : random_(seed, kStream) {}
  double share(std::int64_t draw, std::uint32_t variable) const;

 private:
  static constexpr std::uint32_t kStream = 1;
  executive::CounterRandom random_;
};

/// Keyed permutation of 0 .. count - 1 that takes no memory: a Feistel network that walks its cycles until it falls below
/// the count (Black, Rogaway 2002).
class Permutation {
 public:
  explicit Permutation(std::int64_t count) : count_(static_cast<std::uint64_t>(count)) {
    while ((std::uint64_t{1} << (2 * half_)) < count_) ++half_;
  }
  /// `mixed(value, round)`: random bits, by the key.
  template <class Mixed>
  std::int64_t at(std::int64_t n, Mixed mixed) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    auto value = static_cast<std::uint64_t>(n);
    do {
      std::uint64_t left = value >> half_, right = value & mask;
      for (std::uint64_t round = 0; round < 6; ++round)
        left = std::exchange(right, left ^ (mixed(right, round) & mask));
      value = (left << half_) | right;
    } while (value >= count_);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t count_;
  unsigned half_ = 1;
};

/// Latin hypercube of `count` points: each coordinate has exactly one point in each of `count` equal parts
/// (McKay, Beckman, Conover 1979). The order of the parts is a Permutation, so that no list is kept. `count` is fixed:
/// another one gives another hypercube.
class HypercubePoints {
 public:
  HypercubePoints(std::uint64_t seed, std::int64_t count);
  double share(std::int64_t draw, std::uint32_t variable) const;
  /// The part, 0 .. count - 1, in which the point is.
  std::int64_t stratum(std::int64_t draw, std::uint32_t variable) const;

 private:
  std::int64_t count_;
  Permutation parts_;
  executive::CounterRandom order_, place_;
};

/// Sobol's sequence with the direction numbers of Joe and Kuo (new-joe-kuo-6, 2008) in the order of Gray codes
/// (Antonov, Saleev 1979), from its first point, 0, on. `scramble`: Owen's nested uniform scrambling (1995), each bit
/// flipped by a random bit of the bits before it. Without it a share is the middle of its cell of 2^-32.
class SobolPoints {
 public:
  static constexpr std::uint32_t kMostVariables = 3667;
  static constexpr std::int64_t kMostPoints = std::int64_t{1} << 32;

  /// `variables`: 1 .. kMostVariables.
  SobolPoints(std::uint64_t seed, std::uint32_t variables, bool scramble);
  double share(std::int64_t draw, std::uint32_t variable) const;
  /// The first 32 bits of the coordinate, not scrambled.
  std::uint32_t bits(std::int64_t draw, std::uint32_t variable) const;

 private:
  static constexpr unsigned kBits = 32;

  /// The direction numbers of each coordinate: bit k of a Gray code flips number k.
  std::vector<std::array<std::uint32_t, kBits>> directions_;
  bool scramble_;
  executive::CounterRandom flips_, rest_;
};

}  // namespace tactus::campaign
