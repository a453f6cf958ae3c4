// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/frame_feed.hpp"
#include "drivers/live/http/kept_frames.hpp"

namespace tactus::drivers::live_http {

/// Streams of frames that their clients have named: one whose connection is lost is held for some seconds, so
/// that its client can continue where it was. Until then it costs the frames what it did before.
///
/// Threads  any; a stream that is read belongs to the HTTP thread.
class HeldStreams {
 public:
  using Clock = FrameFeed::Clock;
  static constexpr std::chrono::seconds kHeld{15};

  /// The frames of a stream of that name and those variables, which a connection before has read; that one
  /// then ends. nullptr: none is held. One of other variables is held no more.
  std::shared_ptr<KeptFrames> take(const std::string& name, const std::vector<std::string>& variables);
  /// Keeps the stream: from now on it is held when `feed` is gone.
  void keep(const std::string& name, std::vector<std::string> variables, std::shared_ptr<KeptFrames> frames,
            const std::shared_ptr<FrameFeed>& feed);
  /// Gives up those that no client reads now. Whether there were any.
  bool drop_unread();
  void clear();
  /// Looks after those that no client reads. When to come again; nothing: there are none.
  std::optional<Clock::time_point> tick(Clock::time_point now);

 private:
  struct Held {
    std::vector<std::string> variables;
    std::shared_ptr<KeptFrames> frames;
    std::weak_ptr<FrameFeed> feed;  ///< feed that reads it
    std::optional<Clock::time_point> until{};
  };

  std::mutex mutex_;
  std::map<std::string, Held> held_;
};

}  // namespace tactus::drivers::live_http
