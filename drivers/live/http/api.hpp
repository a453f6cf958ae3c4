#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/request.hpp"
#include "drivers/live/http/routes.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

struct ApiSettings {
  std::chrono::nanoseconds shortest_watch{std::chrono::milliseconds(1)};
  std::chrono::nanoseconds patience{std::chrono::seconds(10)};  ///< with frames that do not end
};

/// {"frame", "sim_time_ns", "date", "state", "values"}.
Json values_of(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot,
               const std::vector<Named>& names);

/// The control port without a network: a request in, a reply out.
///
/// Threads  handle(): one. Replies come from inside of it or from the rig's thread, also when this is gone.
class Api {
 public:
  /// The rig must outlive it.
  Api(executive::LiveRig& rig, ApiSettings settings);

  /// Replies, now or later, once. Returns what to reply if nothing came until then; nothing: no limit.
  std::optional<ReplyTimeout> handle(const Request& request, const Respond& respond);

  /// The state now, with the last frame that is known.
  Json state_now() const;
  /// Data of the event `end`.
  Json end_of_stream(const std::string& reason) const;
  executive::LiveRig& rig() const { return rig_; }
  /// A snapshot that somebody got: its frame is then known.
  void remember(const executive::LiveSnapshotPtr& snapshot);

  // The rows of the table.
  using Waits = std::optional<ReplyTimeout>;
  Waits description(const Call& call, const Respond& respond);
  Waits facts(const Call& call, const Respond& respond);
  Waits state(const Call& call, const Respond& respond);
  Waits statistics(const Call& call, const Respond& respond);
  Waits variables(const Call& call, const Respond& respond);
  Waits variable(const Call& call, const Respond& respond);
  Waits values(const Call& call, const Respond& respond);
  Waits change(const Call& call, const Respond& respond);
  Waits watch(const Call& call, const Respond& respond);
  Waits command(const Call& call, const Respond& respond);
  Waits episode(const Call& call, const Respond& respond);

 private:
  class Known;  // the last frame anybody heard of

  Waits dispatch(const Request& request, const Respond& respond);
  std::vector<Named> group(const Call& call, std::vector<std::string>& problems) const;
  ReplyTimeout no_frame() const;
  Json variable_json(std::size_t index) const;

  executive::LiveRig& rig_;
  const ApiSettings settings_;
  const std::shared_ptr<Known> known_;
};

}  // namespace tactus::drivers::live_http
