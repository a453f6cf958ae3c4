// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/hub.hpp"

#include <microhttpd.h>
#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tactus::drivers::live_http {
namespace {

constexpr std::chrono::milliseconds kFrameTimeout{
    250};                                        // of a state, with the snapshot that says of which frame
constexpr std::chrono::milliseconds kScan{100};  // how often states and limits are looked at
constexpr std::chrono::seconds kKeepAlive{1};
constexpr std::chrono::milliseconds kBlockEvery{1000 / FrameFeed::kBlocksPerSecond};

Reply closing_reply() { return refusal(503, "the rig is being shut down"); }

/// Reply for a client that has closed only its own side; one that is gone does not read it.
Reply abandoned_reply() {
  Reply reply = refusal(400,
                        "the client closed its side of the connection before the reply; the request "
                        "continues. Keep the connection open until the reply has come");
  reply.close = true;
  return reply;
}

bool is_ending(executive::State state) {
  using executive::State;
  return state == State::stop || state == State::abort || state == State::disconnect;
}

}  // namespace

void Hub::resume(SuspendedConnection& sleeper) {
  if (!std::exchange(sleeper.suspended, false)) return;
  MHD_resume_connection(sleeper.connection);
}

Respond::Make Hub::reply_or_sleep(const std::shared_ptr<PendingRequest>& exchange) {
  const std::lock_guard lock(mutex_);
  if (exchange->make) {
    exchanges_.erase(exchange);
    return std::exchange(exchange->make, nullptr);
  }
  if (closing_) return closing_reply;
  exchanges_.insert(exchange);
  exchange->suspended = true;
  MHD_suspend_connection(exchange->connection);
  woken_ = true;
  changed_.notify_one();
  return nullptr;
}

void Hub::forget(const std::shared_ptr<PendingRequest>& exchange) {
  const std::lock_guard lock(mutex_);
  exchange->gone = true;
  exchanges_.erase(exchange);
}

void Hub::answer(const std::shared_ptr<PendingRequest>& exchange, Respond::Make make) {
  const std::lock_guard lock(mutex_);
  if (exchange->gone || exchange->make) return;
  exchange->make = std::move(make);
  resume(*exchange);
}

void Hub::begin(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  note(*stream, Clock::now());
  if (closing_) stream->feed.end("the rig is being shut down");
  stream->due = stream->spoke = Clock::now();
  streams_.insert(stream);
  woken_ = true;
  changed_.notify_one();
}

/// Notes what has happened in the rig, beside its frames. However often that is, it is sent ten times a
/// second.
void Hub::note(Stream& stream, Clock::time_point now) {
  const executive::LiveRig& rig = api_->rig();
  if (now - stream.looked >= kScan) {
    stream.looked = now;
    stream.forces = rig.forces_changed();
    stream.feed.note_entries(rig);
  }
  const executive::State state = rig.state();
  const bool waited = stream.feed.wants_frame();
  stream.feed.note_state(state, stream.forces);
  if (!stream.feed.wants_frame()) return;
  if (!waited) stream.asked = now;
  const bool frameless =
      state == executive::State::connect || state == executive::State::start || is_ending(state);
  if (frameless || now - stream.asked >= kFrameTimeout) stream.feed.take_frame(nullptr);
}

void Hub::forget(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

Hub::Next Hub::next(Stream& stream) {
  EventFeed::Event event;
  {
    const std::lock_guard lock(mutex_);
    if (!stream.feed.has_something()) {
      if (stream.feed.is_over()) return Next::over;
      stream.suspended = true;
      MHD_suspend_connection(stream.connection);
      return Next::sleep;
    }
    event = stream.feed.take();
    stream.spoke = Clock::now();
  }
  stream.out = stream.feed.text(*api_, event);
  stream.at = 0;
  return Next::event;
}

void Hub::begin(const std::shared_ptr<FrameStream>& stream) {
  const std::lock_guard lock(mutex_);
  if (closing_) stream->end = "the rig is being shut down";
  stream->due = Clock::now() + kBlockEvery;
  frame_streams_.insert(stream);
  woken_ = true;
  changed_.notify_one();
}

void Hub::forget(const std::shared_ptr<FrameStream>& stream) {
  const std::lock_guard lock(mutex_);
  frame_streams_.erase(stream);
}

/// Sends what was recorded until now in one go, then nothing until it is due again.
Hub::Next Hub::next(FrameStream& stream) {
  bool look = false;
  {
    const std::lock_guard lock(mutex_);
    if (stream.end) stream.feed->end(*stream.end);
    look = std::exchange(stream.look, false) || stream.end;
  }
  stream.out = look ? stream.feed->next(Clock::now()) : std::string{};
  stream.at = 0;
  if (!stream.out.empty()) return Next::event;
  if (stream.feed->is_over()) return Next::over;
  const std::lock_guard lock(mutex_);
  if (stream.look || stream.end) return Next::again;
  stream.suspended = true;
  MHD_suspend_connection(stream.connection);
  return Next::sleep;
}

void Hub::end_frames(const std::string& reason) {
  for (const auto& stream : frame_streams_) {
    if (!stream->end) stream->end = reason;
    resume(*stream);
  }
}

void Hub::take(const executive::LiveSnapshotPtr& snapshot) {
  const std::lock_guard lock(mutex_);
  asked_ = false;
  woken_ = true;  // somebody may have become due meanwhile
  changed_.notify_one();
  if (api_ == nullptr || closing_) return;
  if (snapshot != nullptr)
    api_->last_frame()->update(snapshot);
  else
    end_frames("the run is over");
  for (const auto& stream : streams_) {
    if (snapshot == nullptr) {
      stream->looked = {};  // whatever has happened until now is said
      note(*stream, Clock::now());
      stream->feed.end("the run is over");
    } else {
      stream->feed.take_frame(snapshot);
      if (std::exchange(stream->wants, false)) stream->feed.offer(snapshot);
    }
    if (stream->feed.has_something()) resume(*stream);
  }
}

void Hub::end_abandoned(Clock::time_point now) {
  if (now - looked_ < kScan) return;
  looked_ = now;
  std::vector<pollfd> sockets;
  std::vector<PendingRequest*> asleep;
  for (const auto& exchange : exchanges_) {
    if (!exchange->suspended) continue;
    sockets.push_back({exchange->client->fd, POLLRDHUP, 0});
    asleep.push_back(exchange.get());
  }
  if (sockets.empty() || ::poll(sockets.data(), sockets.size(), 0) <= 0) return;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if ((sockets[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) continue;
    asleep[i]->make = abandoned_reply;
    resume(*asleep[i]);
  }
}

std::optional<Hub::Clock::time_point> Hub::tick(Clock::time_point now) {
  executive::LiveRig* ask = nullptr;
  auto next = Clock::time_point::max();
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return std::nullopt;
    end_abandoned(now);
    for (const auto& exchange : exchanges_) {
      if (exchange->until <= now && !exchange->make) {
        exchange->make = exchange->too_late;
        resume(*exchange);
      } else if (!exchange->make) {
        next = std::min({next, exchange->until, now + kScan});
      }
    }
    const executive::State state = api_->rig().state();
    if (const auto again = api_->held_streams().tick(now)) next = std::min(next, *again);
    // The answer to that is that the run is over.
    bool wanted = !(streams_.empty() && frame_streams_.empty()) && is_ending(state);
    for (const auto& stream : frame_streams_) {
      if (stream->due <= now) {
        stream->due = std::max(stream->due + kBlockEvery, now);
        stream->look = true;
        resume(*stream);
      }
      next = std::min(next, stream->due);
    }
    for (const auto& stream : streams_) {
      if (stream->due <= now) {
        stream->wants = true;
        stream->due += stream->feed.every();
        if (stream->due <= now) stream->due = now + stream->feed.every();
      }
      note(*stream, now);
      if (!asked_) stream->feed.follow_frames();
      wanted = wanted || stream->wants || stream->feed.wants_frame();
      if (now - stream->spoke >= kKeepAlive) {
        stream->feed.keep_alive();
        stream->spoke = now;
      }
      if (stream->feed.has_something()) resume(*stream);
      next = std::min({next, stream->due, now + kScan});
    }
    if (wanted && !asked_) {
      asked_ = true;
      ask = &api_->rig();
    }
  }
  if (ask != nullptr)
    ask->next_snapshot(
        [hub = shared_from_this()](const executive::LiveSnapshotPtr& snapshot) { hub->take(snapshot); });
  if (next == Clock::time_point::max()) return std::nullopt;
  return next;
}

void Hub::wait(std::optional<Clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto woken = [this] { return woken_; };
  if (until)
    changed_.wait_until(lock, *until, woken);
  else
    changed_.wait(lock, woken);
  woken_ = false;
}

void Hub::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

void Hub::close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (const auto& exchange : exchanges_) {
    if (!exchange->make) exchange->make = closing_reply;
    resume(*exchange);
  }
  for (const auto& stream : streams_) {
    stream->looked = {};  // whatever has happened until now is said
    note(*stream, Clock::now());
    stream->feed.end("the rig is being shut down");
    resume(*stream);
  }
  end_frames("the rig is being shut down");
  api_->held_streams().clear();
}

void Hub::leave() {
  const std::lock_guard lock(mutex_);
  api_ = nullptr;
  exchanges_.clear();
  streams_.clear();
  frame_streams_.clear();
}

}  // namespace tactus::drivers::live_http
