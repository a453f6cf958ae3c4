// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "executive/campaign/draw/points.hpp"

namespace tactus::campaign {

/// The order in which cases are started: that of their numbers, or one that a seed shuffles, by a Permutation.
///
/// Threads  immutable.
class Order {
 public:
  Order(std::int64_t count, std::optional<std::uint64_t> seed) : all_(count), seed_(seed) {}

  /// The number of the case that is the nth to start, 0 <= n < count.
  std::int64_t at(std::int64_t n) const {
    if (!seed_) return n;
    return all_.at(n, [this](std::uint64_t value, std::uint64_t round) {
      return mixed(value + (round << 48) + *seed_ * 0x9E3779B97F4A7C15U);
    });
  }

 private:
  /// SplitMix64's last step.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  Permutation all_;
  std::optional<std::uint64_t> seed_;
};

}  // namespace tactus::campaign
