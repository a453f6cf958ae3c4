// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/action/action_part.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <string>
#include <utility>

#include "executive/frame/frame_services.hpp"
#include "executive/state/crc64.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::executive {
namespace {

/// Name of all that the actions of a plan do: a checkpoint of others does not fit.
std::string name_of_plan(const ActionPlan& plan) {
  std::string all = "2\n";  // number of what Kept lays out: an earlier one does not fit either
  for (const ActionList& list : plan.lists) {
    all += list.owner + "\n";
    for (const Action& action : list.actions)
      all += " " + action.text + "\n" +
             std::string(reinterpret_cast<const char*>(action.value.data()), action.value.size()) + "\n";
  }
  for (const TimedActions& timed : plan.timed)
    all += std::to_string(timed.at.count()) + " " + std::to_string(timed.list) + "\n";
  return rtsync::format_text("%" PRIx64, crc64(std::as_bytes(std::span(all))));
}

constexpr const char* kRecordings = "record";  // kind of what is switched

bool is_recording(const Action& action) TACTUS_RT {
  return action.kind == ActionKind::turn && action.thing == kRecordings;
}

}  // namespace

ActionPart::ActionPart(const ActionPlan& plan)
    : FramePart("actions"), plan_(plan), events_(new EventCount[plan.events.size()]) {
  writes_.resize(plan.writes);
  waiting_.reserve(plan.writes);
  forced_.reserve(plan.writes);
  forcing_.assign(plan.writes, false);
  for (const ActionList& list : plan.lists)
    for (const Action& action : list.actions)
      if (is_recording(action) && slot_of(action.number) == recordings_.size())
        recordings_.push_back({action.number, untouched});
  kept_.assign(kKept + 2 * std::size_t{plan.writes} + recordings_.size(), 0);
  for (std::uint32_t list = 0; list < plan.lists.size(); ++list)
    for (std::uint32_t i = 0; i < plan.lists[list].actions.size(); ++i) {
      const Action& action = plan.lists[list].actions[i];
      if (action.variable.variable == nullptr) continue;
      Write& write = writes_[action.write];
      write.action = &action;
      write.to = action.variable.data();
      write.bytes = action.variable.elements * size_of(action.variable.variable->type);
      write.list = list;
      write.place = i;
    }
}

void ActionPart::joined(FrameServices& services) {
  services_ = &services;
  frame_ = services.plan().frame;
  for (Write& write : writes_) {
    write.forces = services.forces_of(write.action->variable.model);
    write.thread = services.async_worker_bit(write.action->variable.model);
  }
  Piece piece = own_piece(std::string(kOptionalPiece) + name_of_plan(plan_), std::span(kept_));
  piece.optional = true;
  services.keep({std::move(piece)});
}

void ActionPart::fire(std::uint32_t event, std::int64_t k) TACTUS_RT {
  EventCount& count = events_[event];
  if (count.count.fetch_add(1, std::memory_order_relaxed) == 0)
    count.first.store(k, std::memory_order_relaxed);
  count.last.store(k, std::memory_order_relaxed);
  note({ActionNote::What::event, event, 0, k});
  run(plan_.event_lists[event], k);
}

void ActionPart::run(std::uint32_t list, std::int64_t k) TACTUS_RT {
  if (list == ActionPlan::kNone) return;
  const std::vector<Action>& actions = plan_.lists[list].actions;
  for (std::uint32_t i = 0; i < actions.size(); ++i) {
    const Action& action = actions[i];
    if (action.kind == ActionKind::log) note({ActionNote::What::log, list, i, k});
    if (action.kind == ActionKind::trace) note({ActionNote::What::trace, list, i, k});
    if (!do_action(action)) note({ActionNote::What::not_done, list, i, k});
  }
}

/// False: it could not be done.
bool ActionPart::do_action(const Action& action) TACTUS_RT {
  switch (action.kind) {
    case ActionKind::set:
    case ActionKind::force:
    case ActionKind::release:
      queue(action.write);
      return true;
    case ActionKind::turn:
      if (SwitchRow* const row = services_->switches(action.thing)) {  // few, and asked for seldom
        row->turn(action.number, action.on);
        if (is_recording(action)) {
          const std::size_t slot = slot_of(action.number);
          recordings_[slot].last = action.on ? switched_on : switched_off;
          recorded(slot) = recordings_[slot].last;
        }
        return true;
      }
      return false;
    case ActionKind::pause:
      services_->give({Command::pause});
      return true;
    case ActionKind::stop:
      services_->planned_stop(action.name.c_str());
      return true;
    case ActionKind::abort:
      services_->abort(action.name.c_str());
      return true;
    case ActionKind::safe_state:
      services_->safe_state();
      return true;
    case ActionKind::checkpoint:
      return services_->take_checkpoint(action.checkpoint);
    case ActionKind::job:
      services_->enable(action.name, action.on);
      return true;
    case ActionKind::call:
      return services_->ask_event_job(action.number);
    case ActionKind::ratio:
      services_->set_ratio(action.ratio);
      ratio_changed_ = true;
      return true;
    case ActionKind::log:
    case ActionKind::trace:
      return true;
  }
  return false;
}

/// One that waits already moves to the end: the last one wins.
void ActionPart::queue(std::uint32_t write) TACTUS_RT {
  queue_last(write);
  keep();
}

void ActionPart::queue_last(std::uint32_t write) TACTUS_RT {
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), write), waiting_.end());
  waiting_.push_back(write);  // within what was reserved
}

void ActionPart::rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  std::size_t kept = 0;
  const bool waited = !waiting_.empty();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Write& write = writes_[waiting_[i]];
    if ((write.thread & ~idle) != 0)
      waiting_[kept++] = waiting_[i];
    else if (!make(write))
      note({ActionNote::What::not_done, write.list, write.place, k - 1});
  }
  waiting_.resize(kept);
  if (waited) keep();
  for (ModelForces* const forces : forced_)
    if (forces->thread() == 0) forces->apply();
}

bool ActionPart::make(const Write& write) TACTUS_RT {
  services_->count_changes();
  switch (write.action->kind) {
    case ActionKind::force:
      return force(write);
    case ActionKind::release:
      if (write.forces == nullptr) return true;
      if (is_part(write)) return false;
      release(*write.forces, write.to, write.bytes);
      return true;
    default:
      if (write.forces != nullptr && write.forces->find(write.to, write.bytes) != nullptr) return false;
      std::memcpy(write.to, write.action->value.data(), write.bytes);
      return true;
  }
}

/// Forces a variable, but not one that a client forces.
bool ActionPart::force(const Write& write) TACTUS_RT {
  ModelForces& forces = *write.forces;
  if (is_part(write)) return false;
  release(forces, write.to, write.bytes);
  if (forces.find(write.to, write.bytes) != nullptr || forces.count() == ModelForces::kMost) return false;
  std::memcpy(write.to, write.action->value.data(), write.bytes);
  forces.add({write.to, write.action->value.data(), write.bytes, nullptr});
  forcing_[write.action->write] = true;
  if (std::ranges::find(forced_, &forces) == forced_.end()) forced_.push_back(&forces);
  return true;
}

/// Returns true for an element of an array that is forced as a whole: the others would lose their force with it.
bool ActionPart::is_part(const Write& write) TACTUS_RT {
  return !write.forces->all(write.to, write.bytes, [&](const ModelForces::Force& force) TACTUS_RT {
    return force.lies_in(write.to, write.bytes);
  });
}

/// Ends the forces of actions that share memory with these bytes.
void ActionPart::release(ModelForces& forces, const void* to, std::size_t bytes) TACTUS_RT {
  while (ModelForces::Force* const force = forces.find(to, bytes)) {
    if (force->packet != nullptr) return;
    for (const Write& write : writes_)
      if (write.to == force->to && write.forces == &forces) forcing_[write.action->write] = false;
    forces.remove(force);
  }
}

void ActionPart::release_all() TACTUS_RT {
  for (const Write& write : writes_)
    if (write.forces != nullptr && write.action->kind == ActionKind::force)
      release(*write.forces, write.to, write.bytes);
  forced_.clear();
}

void ActionPart::at_boundary(std::int64_t k, Slack&) TACTUS_RT {
  for (; next_ < plan_.timed.size() && frame_.begun_in(plan_.timed[next_].at) <= k; ++next_) {
    note({ActionNote::What::timed, static_cast<std::uint32_t>(next_), 0, k - 1});
    run(plan_.timed[next_].list, k - 1);
  }
  keep_recordings();
  kept_[boundary] = k + 1;  // 0: none
  kept_[next_list] = static_cast<std::int64_t>(next_);
}

/// Keeps what waits and what is forced where checkpoints find it.
void ActionPart::keep() TACTUS_RT {
  kept_[waiting_writes] = static_cast<std::int64_t>(waiting_.size());
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    kept_[kKept + i] = i < waiting_.size() ? waiting_[i] : 0;
    kept_[kKept + writes_.size() + i] = forcing_[i] ? 1 : 0;
  }
}

/// Goes on with what a checkpoint has. A file may hold any numbers.
void ActionPart::take_over() TACTUS_RT {
  next_ = std::min(static_cast<std::size_t>(std::max<std::int64_t>(kept_[next_list], 0)), plan_.timed.size());
  for (std::size_t i = 0; i < writes_.size(); ++i)
    if (kept_[kKept + writes_.size() + i] != 0 && writes_[i].action->kind == ActionKind::force)
      queue_last(static_cast<std::uint32_t>(i));  // the forces of clients are not yet released
  const std::int64_t waiting = std::min(kept_[waiting_writes], static_cast<std::int64_t>(writes_.size()));
  for (std::int64_t i = 0; i < waiting; ++i) {
    const std::int64_t write = kept_[kKept + static_cast<std::size_t>(i)];
    if (write >= 0 && write < static_cast<std::int64_t>(writes_.size()))
      queue_last(static_cast<std::uint32_t>(write));
  }
  keep();
}

std::size_t ActionPart::slot_of(std::uint32_t number) const TACTUS_RT {
  std::size_t slot = 0;
  while (slot < recordings_.size() && recordings_[slot].number != number) ++slot;
  return slot;
}

/// A client may have switched a recording after the last action on it: what it is now is kept.
void ActionPart::keep_recordings() TACTUS_RT {
  const SwitchRow* const row = recordings_.empty() ? nullptr : services_->switches(kRecordings);
  for (std::size_t slot = 0; slot < recordings_.size() && row != nullptr; ++slot) {
    Switched& each = recordings_[slot];
    if (each.last == untouched || each.number >= row->things()) continue;
    each.last = row->standing(each.number).is == SwitchRow::Is::off ? switched_off : switched_on;
    recorded(slot) = each.last;
  }
}

/// Recordings that actions have switched are again as they were then: without an action before, as the rig file has them.
void ActionPart::put_back_recordings(bool is_kept) TACTUS_RT {
  SwitchRow* const row = services_->switches(kRecordings);
  for (std::size_t slot = 0; slot < recordings_.size() && row != nullptr; ++slot) {
    Switched& each = recordings_[slot];
    const std::int64_t then = is_kept ? recorded(slot) : untouched;
    if (then != untouched || each.last != untouched) row->turn(each.number, then != switched_off);
    each.last = then == switched_off ? switched_off : then == switched_on ? switched_on : untouched;
    recorded(slot) = each.last;
  }
}

void ActionPart::seek(std::int64_t k) TACTUS_RT {
  next_ = 0;
  while (next_ < plan_.timed.size() && frame_.begun_in(plan_.timed[next_].at) < k) ++next_;
}

void ActionPart::changed(RigChange& change) TACTUS_RT {
  const bool is_kept = kept_[boundary] == change.frame + 1;  // what happens at this boundary has happened
  if (change.what == RigChange::started && !is_kept) seek(change.frame);
  if (change.what != RigChange::went_back) return;
  waiting_.clear();
  release_all();
  if (std::exchange(ratio_changed_, false)) services_->set_ratio(services_->plan().ratio);
  put_back_recordings(is_kept);
  if (is_kept)
    take_over();
  else
    seek(change.frame);
}

}  // namespace tactus::executive
