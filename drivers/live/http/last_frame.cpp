// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/last_frame.hpp"

#include <utility>

#include "drivers/live/http/replies.hpp"

namespace tactus::drivers::live_http {
namespace {

using executive::LiveRig;
using executive::LiveSnapshot;

Json forces_json(const LiveRig& rig) {
  Json all = Json::array();
  for (const executive::LiveForce& force : rig.forces())
    all.push_back({{"variable", force.name},
                   {"value", value_json(rig, force.ref, force.bytes.data())},
                   {"who", force.who},
                   {"frame", force.frame}});
  return all;
}

Json allowed_json(const LiveRig& rig) {
  Json all = Json::object();
  for (const executive::CommandRow& row : executive::command_rows())
    if (is_given_from_outside(row)) all[row.word] = rig.command_problem(row.command);
  return all;
}

/// `values`: of that frame; nullptr: they are not known.
Json state_json(const LiveRig& rig, executive::State state, std::int64_t frame, const LiveSnapshot* values) {
  const std::int64_t sim_time_ns = frame < 0 ? 0 : rig.facts().frame.times(frame).count();
  Json body = {{"state", state_text(state)}};
  put_frame(body, frame);
  body.update({{"frames", frame + 1},
               {"sim_time_ns", sim_time_ns},
               {"date", date_of(rig.facts(), sim_time_ns)},
               {"paused", state == executive::State::pause},
               {"forced", forces_json(rig)},
               {"allowed", allowed_json(rig)},
               {"outputs", outputs_json(rig, values)}});
  return body;
}

}  // namespace

/// Notes a frame. The caller holds the lock.
void LastFrame::hear_of(std::int64_t frame) {
  if (std::exchange(frame_, frame) != frame) since_ = Clock::now();
}

void LastFrame::update(const executive::LiveSnapshotPtr& snapshot) {
  const std::lock_guard lock(mutex_);
  if (last_ != nullptr && snapshot->sequence < last_->sequence) return;
  hear_of(snapshot->frame);
  last_ = snapshot;
}

Json LastFrame::state(const LiveRig& rig) const {
  const executive::State now = rig.state();
  const std::int64_t frame = rig.last_frame();
  const std::lock_guard lock(mutex_);
  return state_json(rig, now, frame, last_ != nullptr && last_->frame == frame ? last_.get() : nullptr);
}

Json LastFrame::state(const LiveRig& rig, const LiveSnapshot& snapshot) {
  return state_json(rig, snapshot.rig.state, snapshot.frame, snapshot.bytes.empty() ? nullptr : &snapshot);
}

Json LastFrame::beat(const LiveRig& rig) {
  const std::lock_guard lock(mutex_);
  hear_of(rig.last_frame());
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since_);
  Json body = {{"state", state_text(rig.state())}};
  put_frame(body, frame_);
  body["age_ms"] = age.count();
  return body;
}

}  // namespace tactus::drivers::live_http
