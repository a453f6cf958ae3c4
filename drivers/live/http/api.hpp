// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/live/http/held_streams.hpp"
#include "drivers/live/http/last_frame.hpp"
#include "drivers/live/http/request.hpp"
#include "drivers/live/http/routes.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

struct ApiSettings {
  std::chrono::nanoseconds shortest_watch{std::chrono::milliseconds(1)};
  std::chrono::nanoseconds timeout{std::chrono::seconds(10)};  ///< limit on frames that do not end
};

/// {"frame", "sim_time_ns", "date", "state", "values"}. `past`: values of the expressions that have one, by name.
Json values_of(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot,
               const std::vector<Named>& names, const Json& past = Json::object());

/// The items of a list with commas. Those inside of brackets and quotes separate nothing.
std::vector<std::string> items_of(std::string_view list);
/// The variables and expressions of the parameter `names`, which is there.
std::vector<Named> names_of(const executive::LiveRig& rig, const Call& call,
                            std::vector<std::string>& problems);

/// The control port without a network: a request in, a reply out.
///
/// Threads  handle(): one. Replies come from inside of it or from the rig's thread, also when this is gone.
class Api {
 public:
  /// The rig must outlive it.
  Api(executive::LiveRig& rig, ApiSettings settings) : rig_(rig), settings_(settings) {}

  /// Replies, now or later, once. Returns what to reply if nothing came until then; nothing: no limit.
  Waits handle(const Request& request, const Respond& respond);

  /// The state now, with the last frame that is known.
  Json state_now() const { return last_frame_->state(rig_); }
  /// Data of the event `end`.
  Json end_of_stream(const std::string& reason) const;
  executive::LiveRig& rig() const { return rig_; }
  const ApiSettings& settings() const { return settings_; }
  HeldStreams& held_streams() { return held_streams_; }
  const std::shared_ptr<LastFrame>& last_frame() const { return last_frame_; }
  /// Values after every frame from now on; for it gives up what is held for clients that have gone. nullptr, and why:
  /// the rig has no room for it.
  std::unique_ptr<executive::LiveFrames> follow(const std::vector<executive::LiveRef>& refs,
                                                std::string& problem);
  /// Replies with what is made of the next frame that ends.
  ReplyTimeout with_next_frame(const Respond& respond,
                               std::function<Json(const executive::LiveSnapshot&)> make) const;

 private:
  Waits dispatch(const Request& request, const Respond& respond);

  executive::LiveRig& rig_;
  const ApiSettings settings_;
  HeldStreams held_streams_;
  const std::shared_ptr<LastFrame> last_frame_ = std::make_shared<LastFrame>();
};

}  // namespace tactus::drivers::live_http
