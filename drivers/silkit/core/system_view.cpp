// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/system_view.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus::silkit {
namespace {

using enum ParticipantState;

/// Rule: when a participant has come to `changed_to` and all required ones are in `all`, the system is in
/// `result`; the first row that fits counts.
struct Rule {
  ParticipantState changed_to;
  std::array<ParticipantState, 6> all;  // filled up by repeating the first
  ParticipantState result;
};
constexpr Rule rule(ParticipantState changed_to, ParticipantState result,
                    std::initializer_list<ParticipantState> all) {
  Rule made{changed_to, {}, result};
  made.all.fill(*all.begin());
  std::copy(all.begin(), all.end(), made.all.begin());
  return made;
}
constexpr Rule kRules[] = {
    rule(services_created, services_created,
         {services_created, communication_initializing, communication_initialized, ready_to_run, running}),
    rule(communication_initializing, communication_initializing,
         {communication_initializing, communication_initialized, ready_to_run, running}),
    rule(communication_initialized, communication_initialized,
         {communication_initialized, ready_to_run, running}),
    rule(ready_to_run, ready_to_run, {ready_to_run, running}),
    rule(running, running, {running}),
    rule(running, stopping, {running, stopping}),
    rule(running, stopped, {running, stopped}),
    rule(running, shutting_down, {running, stopped, shutting_down}),
    rule(running, shutdown, {running, stopped, shutting_down, shutdown}),
    rule(paused, paused, {running, paused}),
    rule(paused, stopping, {running, paused, stopping}),
    rule(paused, stopped, {running, paused, stopped}),
    rule(paused, shutting_down, {running, paused, stopped, shutting_down}),
    rule(paused, shutdown, {running, paused, stopped, shutting_down, shutdown}),
    rule(stopping, stopping, {running, paused, stopping, stopped, shutting_down, shutdown}),
    rule(stopped, stopped, {stopped, shutting_down, shutdown}),
    rule(shutting_down, shutting_down,
         {stopped, shutting_down, shutdown, error, services_created, ready_to_run}),
    rule(shutdown, shutdown, {shutdown}),
};

// Of several members in different states, whose one decides when all are looked at anew.
constexpr ParticipantState kOrder[] = {aborting,
                                       error,
                                       paused,
                                       stopping,
                                       services_created,
                                       communication_initializing,
                                       communication_initialized,
                                       ready_to_run,
                                       running,
                                       stopped,
                                       shutting_down,
                                       shutdown};

// ReadyToRun, and what a participant that has been there may be in, but for Error and Aborting.
constexpr ParticipantState kAfterReady[] = {ready_to_run, running,       paused,  stopping,
                                            stopped,      shutting_down, shutdown};

}  // namespace

bool SystemView::requires_participant(const std::string& name) const {
  return std::ranges::binary_search(required_, name);
}

bool SystemView::all_were_in(std::span<const ParticipantState> states) const {
  return known_ && std::ranges::all_of(required_, [&](const std::string& name) {
           const Status* const status = status_of(name);
           return status == nullptr ? ended_.contains(name)
                                    : std::ranges::find(states, status->state) != states.end();
         });
}

bool SystemView::has_started() const { return all_were_in(std::span(kAfterReady)); }

bool SystemView::is_ending() const {
  const auto after_running = std::span(kAfterReady).subspan(1);
  const auto running_or_paused = after_running.first(2);
  return all_were_in(after_running) && !all_in(running_or_paused);
}

const Status* SystemView::status_of(const std::string& name) const {
  const auto found = statuses_.find(name);
  return found == statuses_.end() ? nullptr : &found->second;
}

bool SystemView::all_in(std::span<const ParticipantState> states) const {
  return std::ranges::all_of(required_, [&](const std::string& name) {
    const Status* const status = status_of(name);
    return status != nullptr && std::ranges::find(states, status->state) != states.end();
  });
}

std::optional<ParticipantState> SystemView::state_for(ParticipantState changed_to) const {
  if (changed_to == error || changed_to == aborting) return changed_to;
  for (const Rule& each : kRules)
    if (each.changed_to == changed_to && all_in(each.all)) return each.result;
  return std::nullopt;
}

bool SystemView::take(const Status& status) {
  Status& stored = statuses_[status.participant];
  if (stored.state == shutdown) return false;
  ended_.erase(status.participant);
  const bool changed = stored.state != status.state;
  stored = status;
  if (changed && requires_participant(status.participant)) state_ = state_for(status.state).value_or(state_);
  return true;
}

void SystemView::evaluate_all() {
  for (const ParticipantState each : kOrder) {
    const bool somebody = std::ranges::any_of(required_, [&](const std::string& name) {
      const Status* const status = status_of(name);
      return status != nullptr && status->state == each;
    });
    if (!somebody) continue;
    if (const auto state = state_for(each)) {
      state_ = *state;
      return;
    }
  }
}

void SystemView::set_required(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  required_ = std::move(names);
  known_ = true;
  evaluate_all();
}

void SystemView::remove(const std::string& name) {
  const auto found = statuses_.find(name);
  if (found == statuses_.end()) return;
  if (found->second.state == shutdown && requires_participant(name)) ended_.insert(name);
  statuses_.erase(found);
  if (statuses_.empty()) {
    if (state_ == shutting_down) state_ = shutdown;
    if (state_ != error && state_ != shutdown) state_ = invalid;
    return;
  }
  evaluate_all();
}

}  // namespace tactus::silkit
