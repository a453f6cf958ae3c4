// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "drivers/can/port/ring.hpp"

namespace tactus::drivers::can {

/// An entry of the rig's log, on its way from the frames to the thread that writes.
struct LogEntry {
  enum class Kind : std::uint8_t {
    missing,     ///< received message `index`
    back,        ///< received message `index`
    checksum,    ///< received message `index`: the first wrong one
    queue_full,  ///< sent message `index`: the first time
    overflow,    ///< the first time
    state,       ///< `value` is the new BusState
    restarted,
    restarting,      ///< the rig restarts it; `value` are the restarts that are left, below 0: no limit
    restart_failed,  ///< `value` is an errno value
    gave_up,         ///< it is not restarted any more; `index` 1: by a fault; `value` is an AfterRestarts
    send_failed,     ///< sent message `index`; `value` is an errno value
    not_realtime,    ///< `value` is an errno value
    injected_off,    ///< `value` 1: a fault begins to hold the bus off; 0: it ends
    rounded,         ///< fault `index` of a message, or of the bus; `value` is its amount now
    sent_by,         ///< the sender of messages at their times; `value` is that of `bus.sent_by`
    ended,           ///< the last frame was run
  };
  Kind kind = Kind::missing;
  std::uint32_t index = 0;
  std::int64_t value = 0;
  std::int64_t time = 0;  ///< simulated, ns
};

/// Keeps entries until they are read. What finds no room is lost.
using BusLog = Ring<LogEntry>;

}  // namespace tactus::drivers::can
