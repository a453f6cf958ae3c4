// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace tactus::drivers::can {

/// A message that is sent once a cycle.
struct Cyclic {
  std::int64_t cycle = 0;     ///< ns
  std::int64_t duration = 0;  ///< ns on the wire
};

/// Spreads cyclic messages over the slots of a grid, so that the fullest slot is as empty as a greedy choice makes it:
/// shortest cycles first, each at the first of the slots that leave the least behind them. Returns the phases, ns, below
/// the cycle of each; whole slots. `slot` is above 0. @when setup
std::vector<std::int64_t> spread(const std::vector<Cyclic>& messages, std::int64_t slot);

}  // namespace tactus::drivers::can
