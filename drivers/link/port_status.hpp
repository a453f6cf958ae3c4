// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace tactus::drivers::link {

/// State of a link in the frames, published as link.*. All 0 before the first frame.
struct PortStatus {
  std::int64_t frame = 0;
  std::int64_t slot_ns = 0;  ///< RigTime
  std::int64_t virtual_time_ns = 0;
  std::int64_t step = 0;
  /// Arrival of the grant of the frame's step, CLOCK_MONOTONIC; 0: has not come yet.
  std::int64_t grant_arrival_ns = 0;
  /// Lateness by now of the oldest grant that is missing at this StepBegin; 0 when none is missing.
  std::int64_t lateness_ns = 0;
  std::int64_t late = 0;  ///< steps so far whose grant was not there at their StepBegin
  std::int64_t consecutive_late = 0;
  std::int64_t behind = 0;         ///< steps by which virtual time is behind
  std::int64_t messages = 0;       ///< applied so far
  std::int64_t messages_late = 0;  ///< number of these after the first frame they were meant for
  std::int32_t state = 0;          ///< Federation
};

/// Totals, for summary.json; of the frames' side.
struct PortTotals {
  std::int64_t steps = 0;
  std::int64_t late = 0;
  std::int64_t max_consecutive_late = 0;
  std::int64_t worst_lateness_ns = 0;
  std::int64_t worst_step = -1;
  std::int64_t too_old = 0;       ///< number of times that data of a subscription became too old
  std::int64_t pending_lost = 0;  ///< messages for later frames, beyond what there was room for
};

}  // namespace tactus::drivers::link
