// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "executive/capability/live/live_port.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"

namespace tactus::executive {

/// Observations of one look of the live thread, and the answers that it gives.
struct LiveView {
  State state = State::connect;
  const RunEnd* end = nullptr;           ///< nullptr: the frames go on
  const LivePort::Head* head = nullptr;  ///< a newer snapshot than at the look before; nullptr: there is none
  std::function<LiveSnapshotPtr()> copy{};  ///< makes a copy of it
  LiveSnapshotPtr copied{};
  std::vector<std::function<void()>> answers{};

  /// The snapshot for clients: one copy, however many ask for it.
  const LiveSnapshotPtr& snapshot() { return copied != nullptr ? copied : copied = copy(); }
};

/// Waits for an answer of the rig.
///
/// Threads  one at a time.
struct LivePending {
  /// Adds the answer to those of the view once there is one. True: nothing is waited for any more.
  std::function<bool(LiveView& view)> poll;
  bool wants_snapshot = false;
};

}  // namespace tactus::executive
