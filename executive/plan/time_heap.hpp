// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rtsync/rt.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::executive {

/// A time for each of n, the least at hand: a binary heap that knows the place of each.
///
/// RT  everything but the constructor; set() takes log n steps.
class TimeHeap {
 public:
  TimeHeap(std::size_t n, rtsync::Wide time) : times_(n, time), order_(n), at_(n) {
    for (std::uint32_t i = 0; i < n; ++i) order_[i] = at_[i] = i;
  }

  bool empty() const TACTUS_RT { return order_.empty(); }
  /// Index of the least time. The heap must not be empty.
  std::uint32_t first() const TACTUS_RT { return order_.front(); }
  rtsync::Wide time(std::uint32_t who) const TACTUS_RT { return times_[who]; }

  void set(std::uint32_t who, rtsync::Wide time) TACTUS_RT {
    times_[who] = time;
    std::size_t hole = at_[who];
    for (; hole > 0 && time < times_[order_[(hole - 1) / 2]]; hole = (hole - 1) / 2)
      put(order_[(hole - 1) / 2], hole);
    for (std::size_t child = 2 * hole + 1; child < order_.size(); child = 2 * hole + 1) {
      if (child + 1 < order_.size() && times_[order_[child + 1]] < times_[order_[child]]) ++child;
      if (times_[order_[child]] >= time) break;
      put(order_[child], hole);
      hole = child;
    }
    put(who, hole);
  }

 private:
  void put(std::uint32_t who, std::size_t place) TACTUS_RT {
    order_[place] = who;
    at_[who] = static_cast<std::uint32_t>(place);
  }

  std::vector<rtsync::Wide> times_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> at_;  // in order_
};

}  // namespace tactus::executive
