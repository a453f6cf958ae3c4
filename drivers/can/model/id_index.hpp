// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// The number by which an identifier is sorted: those of 29 bits come last.
constexpr std::uint64_t key_of(std::uint32_t id, bool extended) TACTUS_RT {
  return id | (extended ? std::uint64_t{1} << 32U : 0);
}

/// Finds what belongs to the identifier of a frame: at once by one of 11 bits, by halving for one of 29 bits.
///
/// RT  find().
class IdIndex {
 public:
  /// `keys` ascend, and may repeat. @when setup
  void build(std::vector<std::uint64_t> keys) {
    keys_ = std::move(keys);
    first_.clear();
    for (std::uint64_t id = 0; id <= kStandardIds; ++id)
      first_.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(keys_, id) - keys_.begin()));
  }

  struct Range {
    std::size_t begin = 0, end = 0;  ///< places among the keys; equal: none has it
  };
  Range find(std::uint64_t key) const TACTUS_RT {
    if (key < kStandardIds && !first_.empty()) return {first_[key], first_[key + 1]};
    const auto found = std::equal_range(keys_.begin(), keys_.end(), key);
    return {static_cast<std::size_t>(found.first - keys_.begin()),
            static_cast<std::size_t>(found.second - keys_.begin())};
  }

 private:
  static constexpr std::uint64_t kStandardIds = 2048;

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> first_;  // place of each identifier of 11 bits, and of what comes behind them
};

}  // namespace tactus::drivers::can
