// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>

#include "drivers/live/http/request.hpp"

namespace tactus::drivers::live_http {

/// Last known frame.
///
/// Threads  any.
class LastFrame {
 public:
  void update(const executive::LiveSnapshotPtr& snapshot);
  /// Data of the event `state`: the state now, with the frame that the rig says; outputs have values if the last
  /// snapshot is of that frame.
  Json state(const executive::LiveRig& rig) const;
  /// The same, as it was with a snapshot.
  static Json state(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot);
  /// Data of the event `beat`.
  Json beat(const executive::LiveRig& rig);

 private:
  using Clock = std::chrono::steady_clock;

  void hear_of(std::int64_t frame);

  mutable std::mutex mutex_;
  executive::LiveSnapshotPtr last_{};
  std::int64_t frame_ = -1;
  Clock::time_point since_ = Clock::now();  // frame_ is the last one
};

}  // namespace tactus::drivers::live_http
