// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Frames in which rows are looked at again. Rows are in blocks with the least frame of each: a frame looks into those
/// blocks alone in which a row is due.
///
/// Threads  one thread.
/// RT       everything but add().
class WakeTable {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Adds a row that is due at once.                                                                @when setup
  void add() {
    wakes_.push_back(0);
    if (wakes_.size() > least_.size() * kBlock) least_.push_back(0);
    earliest_ = 0;
  }
  /// Lets a row be due at once.
  void wake(std::size_t row) TACTUS_RT { wakes_[row] = least_[row / kBlock] = earliest_ = 0; }
  bool is_due(std::int64_t k) const TACTUS_RT { return k >= earliest_; }
  /// Calls `look` with each row that is due in frame k, in their order; it returns the frame in which the row is due next.
  /// Another row that it wakes is due in the next frame, unless its turn is still to come.
  template <class Look>
  void look(std::int64_t k, Look look) TACTUS_RT {
    earliest_ = kNever;
    for (std::size_t block = 0; block < least_.size(); ++block) {
      if (k >= least_[block]) {
        const std::size_t end = std::min((block + 1) * kBlock, wakes_.size());
        std::int64_t least = kNever;
        least_[block] = kNever;
        for (std::size_t row = block * kBlock; row < end; ++row) {
          if (k >= wakes_[row]) wakes_[row] = look(row);
          least = std::min(least, wakes_[row]);
        }
        least_[block] = std::min(least_[block], least);  // what `look` has woken stays so
      }
      earliest_ = std::min(earliest_, least_[block]);
    }
  }

 private:
  static constexpr std::size_t kBlock = 32;

  std::vector<std::int64_t> wakes_;
  std::vector<std::int64_t> least_;  // by block
  std::int64_t earliest_ = 0;
};

}  // namespace tactus::executive
