#pragma once
#include <cstdint>
#include <mutex>

#include "drivers/live/http/request.hpp"

namespace tactus::drivers::live_http {

/// The last frame that anybody heard of.
///
/// Threads  any.
class LastFrame {
 public:
  void update(const executive::LiveSnapshot& snapshot);
  /// Data of the event `state`: the state now, with that frame.
  Json state(const executive::LiveRig& rig) const;
  /// The same, as it was with a snapshot.
  static Json state(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot);

 private:
  mutable std::mutex mutex_;
  std::int64_t sequence_ = 0;
  std::int64_t frame_ = -1;
  std::int64_t frames_ = 0;
  std::int64_t sim_time_ns_ = 0;
};

}  // namespace tactus::drivers::live_http
