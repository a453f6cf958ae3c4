// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The load of a bus and the worst response time of each message, from ids, lengths, cycles and bit rate. The analysis is
/// that of Davis, Burns, Bril and Lukkien, "Controller Area Network (CAN) schedulability analysis: Refuted, revisited and
/// revised", Real-Time Systems 35 (2007), with the exact busy period; jitter of the senders is 0.
///
/// Threads  any.
/// RT       nothing here. @when setup
#include <cstdint>
#include <optional>
#include <vector>

#include "drivers/can/dbc/database.hpp"

namespace tactus::drivers::can {

struct BitRates {
  std::int64_t nominal = 500'000;  ///< bit/s
  std::int64_t data = 0;  ///< bit/s of the data phase of CAN FD frames with a switch of the bit rate; 0: none
};

/// Returns the longest time that a frame takes, with all stuff bits and the space after it, in nanoseconds, rounded up.
std::int64_t longest_frame(const Message& message, const BitRates& rates);

struct MessageLoad {
  std::size_t message = 0;             ///< index in the database
  std::int64_t frame = 0;              ///< ns, longest
  std::optional<std::int64_t> period;  ///< ns; none: the file gives no cycle
  std::optional<std::int64_t>
      response;  ///< ns, from the wish to send to the end of the frame; none: no bound

  /// Says that it may take longer than its cycle.
  bool is_late() const { return period && (!response || *response > *period); }
};

struct BusLoad {
  std::vector<MessageLoad> messages;  ///< highest priority first
  double load = 0;                    ///< share of the bus that cyclic messages take at most, 1: all of it
  std::size_t without_cycle = 0;      ///< messages that are not in the load; they delay others only once
};

/// Computes both. A message without a cycle counts as one that may be on the bus when a more important one wants to be
/// sent, and not as one that comes before a less important one.
BusLoad bus_load(const Database& database, const BitRates& rates);

}  // namespace tactus::drivers::can
