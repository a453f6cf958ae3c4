#include "drivers/live/http/event_feed.hpp"

#include <utility>

namespace tactus::drivers::live_http {
namespace {

using executive::State;

/// The states of one frame are one: they change faster than anybody could be told.
State coarse(State state) {
  const bool frame =
      state == State::step_begin || state == State::step_simulator || state == State::step_controller;
  return frame ? State::step_end : state;
}

std::string event_text(const char* name, const Json& data, std::int64_t id = -1) {
  std::string text = std::string("event: ") + name + "\n";
  if (id >= 0) text += "id: " + std::to_string(id) + "\n";
  return text + "data: " + text_of(data) + "\n\n";
}

}  // namespace

void EventFeed::offer(executive::LiveSnapshotPtr values) {
  if (end_) return;
  if (values_ != nullptr) ++skipped_;
  values_ = std::move(values);
}

void EventFeed::note_state(State state) {
  const State now = coarse(state);
  if (end_ || state_ == now) return;
  state_ = now;
  state_waits_ = true;
}

void EventFeed::end(std::string reason) {
  if (!end_ && !said_end_) end_ = std::move(reason);
}

bool EventFeed::has_something() const { return values_ != nullptr || state_waits_ || comment_ || end_; }

EventFeed::Event EventFeed::take() {
  Event event{std::exchange(values_, nullptr), std::exchange(skipped_, 0), std::exchange(state_waits_, false),
              std::exchange(comment_, false), std::exchange(end_, std::nullopt)};
  if (event.end) said_end_ = true;
  return event;
}

std::string EventFeed::text(const Api& api, const Event& event) const {
  std::string text;
  if (event.comment) text += ": still here\n\n";
  if (event.state) text += event_text("state", api.state_now());
  if (event.values != nullptr) {
    Json data = values_of(api.rig(), *event.values, watch_.names);
    data["skipped"] = event.skipped;
    text += event_text("values", data, event.values->sequence);
  }
  if (event.end) text += event_text("end", api.end_of_stream(*event.end));
  return text;
}

}  // namespace tactus::drivers::live_http
