// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/event_feed.hpp"

#include <algorithm>
#include <utility>

namespace tactus::drivers::live_http {
namespace {

using executive::State;

/// The states of one frame are one: they change faster than a client could be informed.
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
  if (next_.end) return;
  if (next_.values != nullptr) ++next_.skipped;
  if (watch_.tap != nullptr) next_.past = watch_.tap->values_of(*values);
  next_.values = std::move(values);
}

void EventFeed::note_state(State state, std::int64_t forces) {
  const State now = coarse(state);
  if (next_.end || (state_ == now && forces_ == forces)) return;
  state_ = now;
  forces_ = forces;
  next_.state = true;
  state_known_ = false;
  next_.state_frame = nullptr;
}

void EventFeed::take_frame(executive::LiveSnapshotPtr snapshot) {
  if (!wants_frame()) return;
  if (snapshot != nullptr && coarse(snapshot->rig.state) != state_) return;  // it was made before this state
  state_known_ = true;
  next_.state_frame = std::move(snapshot);
}

void EventFeed::note_entries(const executive::LiveRig& rig) {
  if (next_.end) return;
  const bool first = !heard_;
  if (first) heard_.emplace();
  for (std::size_t i = 0; i < executive::kLiveLists; ++i) {
    const auto list = static_cast<executive::LiveList>(i);
    std::int64_t& heard = (*heard_)[i];
    const std::int64_t last = rig.last_entry(list);
    if (first || last <= heard) {
      heard = last;
      continue;
    }
    executive::LiveEntries more =
        rig.entries(list, std::max(heard, last - static_cast<std::int64_t>(kMostEntries)), kMostEntries);
    heard = last;
    auto& waiting = next_.entries[i];
    for (auto& entry : more.entries) {
      heard = std::max(heard, entry->at("n").get<std::int64_t>());
      waiting.push_back(std::move(entry));
    }
    if (waiting.size() > kMostEntries)
      waiting.erase(waiting.begin(), waiting.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  }
}

void EventFeed::end(std::string reason) {
  if (!next_.end && !said_end_) next_.end = std::move(reason);
}

bool EventFeed::has_something() const {
  if (wants_frame()) return false;
  return next_.values != nullptr || next_.state || next_.beat || next_.end ||
         std::ranges::any_of(next_.entries, [](const auto& some) { return !some.empty(); });
}

EventFeed::Event EventFeed::take() {
  Event event = std::exchange(next_, Event{});
  if (event.end) said_end_ = true;
  return event;
}

std::string EventFeed::text(const Api& api, const Event& event) const {
  std::string text;
  if (event.beat) text += event_text("beat", api.last_frame()->beat(api.rig()));
  if (event.state)
    text +=
        event_text("state", event.state_frame == nullptr ? api.state_now()
                                                         : LastFrame::state(api.rig(), *event.state_frame));
  if (event.values != nullptr) {
    Json data = values_of(api.rig(), *event.values, watch_.names, event.past);
    data["skipped"] = event.skipped;
    text += event_text("values", data, event.values->sequence);
  }
  for (std::size_t i = 0; i < executive::kLiveLists; ++i)
    for (const auto& entry : event.entries[i])
      text += event_text(event_name(static_cast<executive::LiveList>(i)), *entry);
  if (event.end) text += event_text("end", api.end_of_stream(*event.end));
  return text;
}

}  // namespace tactus::drivers::live_http
