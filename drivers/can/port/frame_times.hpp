// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "drivers/can/bus/response_time.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// The longest time on the wire of each kind of frame, in a table.
///
/// RT  of().
class FrameTimes {
 public:
  /// @when setup
  explicit FrameTimes(const BitRates& rates) : times_(kKinds * (kMostBytes + 1)) {
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      for (unsigned length = 0; length <= kMostBytes; ++length) {
        Message message;
        message.extended = (kind & 1U) != 0;
        message.bit_rate_switch = (kind & 2U) != 0;
        message.fd = (kind & 4U) != 0;
        message.length = message.fd ? length : std::min(length, 8U);
        times_[kind * (kMostBytes + 1) + length] = longest_frame(message, rates);
      }
  }

  /// Longest time of the frame, ns.
  std::int64_t of(const CanFrame& frame) const TACTUS_RT {
    const std::size_t kind =
        (frame.fd ? 4U : 0U) + (frame.bit_rate_switch ? 2U : 0U) + (frame.extended ? 1U : 0U);
    return times_[kind * (kMostBytes + 1) + std::min<unsigned>(frame.length, kMostBytes)];
  }

 private:
  static constexpr std::size_t kKinds = 8;
  std::vector<std::int64_t> times_;
};

}  // namespace tactus::drivers::can
