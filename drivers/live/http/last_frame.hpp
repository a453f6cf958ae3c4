#pragma once
#include <chrono>
#include <mutex>

#include "drivers/live/http/request.hpp"

namespace tactus::drivers::live_http {

/// The last frame that anybody heard of.
///
/// Threads  any.
class LastFrame {
 public:
  void update(const executive::LiveSnapshotPtr& snapshot);
  /// Data of the event `state`: the state now, with that frame.
  Json state(const executive::LiveRig& rig) const;
  /// The same, as it was with a snapshot.
  static Json state(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot);
  /// Data of the event `beat`.
  Json beat(const executive::LiveRig& rig) const;

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  executive::LiveSnapshotPtr last_{};
  Clock::time_point since_ = Clock::now();  // its frame is the last one
};

}  // namespace tactus::drivers::live_http
