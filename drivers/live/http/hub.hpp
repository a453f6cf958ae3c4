// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Connections that wait: requests for the rig's answer, streams for their next event.
///
///     rig's thread ──answer, snapshot──► Hub ──resume──► HTTP thread
///     ticker ──due, too late───────────►
///
/// Threads  any, under one lock that is not held while text is made. It outlives the server: the rig may
///          answer when all connections are gone.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "drivers/live/http/api.hpp"
#include "drivers/live/http/clients.hpp"
#include "drivers/live/http/event_feed.hpp"
#include "drivers/live/http/frame_feed.hpp"
#include "drivers/live/http/request.hpp"

struct MHD_Connection;

namespace tactus::drivers::live_http {

/// A connection that may be asleep.
struct SuspendedConnection {
  MHD_Connection* connection = nullptr;
  bool suspended = false;
};

/// One request and its reply.
struct PendingRequest : SuspendedConnection {
  Request request{};
  Client* client = nullptr;
  std::optional<Reply> refused{};  ///< refusal before the rig was asked
  bool too_much = false;           ///< its client asks too often; only a safety command is taken
  bool begun = false;
  bool gone = false;
  Respond::Make make{};
  Client::Clock::time_point until = Client::Clock::time_point::max();
  std::function<Reply()> too_late{};
};

struct Stream : SuspendedConnection {
  explicit Stream(Watch watch) : feed(std::move(watch)) {}

  EventFeed feed;
  Client::Clock::time_point due{};
  Client::Clock::time_point spoke{};
  Client::Clock::time_point looked{};  ///< time of the last look at lists and forces
  std::int64_t forces = 0;             ///< number of forces seen then
  bool wants = false;                  ///< the next snapshot
  Client::Clock::time_point asked{};   ///< time since which a state waits for its frame
  std::string out{};                   ///< the event that is being sent; of the HTTP thread
  std::size_t at = 0;
};

/// A stream of frames. What it says is made on the HTTP thread alone.
struct FrameStream : SuspendedConnection {
  explicit FrameStream(std::shared_ptr<FrameFeed> from) : feed(std::move(from)) {}

  std::shared_ptr<FrameFeed> feed;
  std::optional<std::string> end{};  ///< reason why nothing comes any more
  Client::Clock::time_point due{};
  bool look = true;  ///< there may be something to say
  std::string out{};
  std::size_t at = 0;
};

class Hub : public std::enable_shared_from_this<Hub> {
 public:
  using Clock = Client::Clock;

  explicit Hub(Api& api) : api_(&api) {}

  // The HTTP thread.
  /// The reply of an exchange; nothing: the connection sleeps until it is there.
  Respond::Make reply_or_sleep(const std::shared_ptr<PendingRequest>& exchange);
  void forget(const std::shared_ptr<PendingRequest>& exchange);
  void begin(const std::shared_ptr<Stream>& stream);
  void forget(const std::shared_ptr<Stream>& stream);
  /// Next step of a stream; sleep: the connection sleeps. over: the stream has ended.
  enum class Next { event, sleep, again, over };
  Next next(Stream& stream);

  void begin(const std::shared_ptr<FrameStream>& stream);
  void forget(const std::shared_ptr<FrameStream>& stream);
  Next next(FrameStream& stream);

  // Any thread.
  void answer(const std::shared_ptr<PendingRequest>& exchange, Respond::Make make);

  // The ticker.
  /// Does what is due. When to come again at the latest; nothing: when woken.
  std::optional<Clock::time_point> tick(Clock::time_point now);
  /// Waits for `until`, or for something new.
  void wait(std::optional<Clock::time_point> until);
  void wake();

  /// Replies to every client, ends all streams; from now on no client sleeps.
  void close();
  /// The server goes; what still comes from the rig is dropped.
  void leave();

 private:
  void resume(SuspendedConnection& sleeper);
  /// Ends the exchanges whose clients have gone: the HTTP library does not look at connections that sleep.
  void end_abandoned(Clock::time_point now);
  void take(const executive::LiveSnapshotPtr& snapshot);
  void note(Stream& stream, Clock::time_point now);
  void end_frames(const std::string& reason);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  Api* api_;
  bool closing_ = false;
  bool asked_ = false;          // a snapshot for streams is on its way
  Clock::time_point looked_{};  // for clients that have gone
  std::set<std::shared_ptr<PendingRequest>> exchanges_;
  std::set<std::shared_ptr<Stream>> streams_;
  std::set<std::shared_ptr<FrameStream>> frame_streams_;
};

}  // namespace tactus::drivers::live_http
