// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

namespace tactus::campaign {

/// The order in which cases are started: that of their numbers, or one that a seed shuffles. It takes no memory: a
/// shuffled number is computed (a Feistel network, walked until it falls below the count).
///
/// Threads  immutable.
class Order {
 public:
  Order(std::int64_t count, std::optional<std::uint64_t> seed) : count_(count), seed_(seed) {
    while ((std::uint64_t{1} << (2 * half_)) < static_cast<std::uint64_t>(count)) ++half_;
  }

  /// The number of the case that is the nth to start, 0 <= n < count.
  std::int64_t at(std::int64_t n) const {
    if (!seed_) return n;
    auto value = static_cast<std::uint64_t>(n);
    do value = shuffled(value);
    while (value >= static_cast<std::uint64_t>(count_));
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t shuffled(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = value >> half_, right = value & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t next = left ^ (mixed(right + (round << 48) + *seed_ * 0x9E3779B97F4A7C15U) & mask);
      left = right;
      right = next;
    }
    return (left << half_) | right;
  }

  /// SplitMix64's last step.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::int64_t count_;
  std::optional<std::uint64_t> seed_;
  unsigned half_ = 1;
};

}  // namespace tactus::campaign
