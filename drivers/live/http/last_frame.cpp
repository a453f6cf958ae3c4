#include "drivers/live/http/last_frame.hpp"

#include "drivers/live/http/replies.hpp"

namespace tactus::drivers::live_http {
namespace {

using executive::LiveCommand;
using executive::LiveRig;
using executive::LiveSnapshot;

const LiveSnapshot& nothing_yet() {
  static const LiveSnapshot none;
  return none;
}

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
  for (const LiveCommand command :
       {LiveCommand::pause, LiveCommand::resume, LiveCommand::step, LiveCommand::run_until,
        LiveCommand::reset, LiveCommand::stop, LiveCommand::checkpoint, LiveCommand::load})
    all[std::string(name_of(command))] = rig.objection(command);
  return all;
}

Json state_json(const LiveRig& rig, executive::State state, const LiveSnapshot& last) {
  return {{"state", state_text(state)},
          {"frame", last.frame},
          {"frames", last.rig.frames},
          {"sim_time_ns", last.sim_time_ns},
          {"date", date_of(rig.facts(), last.sim_time_ns)},
          {"paused", state == executive::State::pause},
          {"forced", forces_json(rig)},
          {"allowed", allowed_json(rig)},
          {"outputs", outputs_json(rig, last.bytes.empty() ? nullptr : &last)}};
}

}  // namespace

void LastFrame::update(const executive::LiveSnapshotPtr& snapshot) {
  const std::lock_guard lock(mutex_);
  if (last_ != nullptr && snapshot->sequence < last_->sequence) return;
  if (last_ == nullptr || last_->frame != snapshot->frame) since_ = Clock::now();
  last_ = snapshot;
}

Json LastFrame::state(const LiveRig& rig) const {
  const executive::State now = rig.state();
  const std::lock_guard lock(mutex_);
  return state_json(rig, now, last_ == nullptr ? nothing_yet() : *last_);
}

Json LastFrame::state(const LiveRig& rig, const LiveSnapshot& snapshot) {
  return state_json(rig, snapshot.rig.state, snapshot);
}

Json LastFrame::beat(const LiveRig& rig) const {
  const std::lock_guard lock(mutex_);
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since_);
  return {{"state", state_text(rig.state())},
          {"frame", last_ == nullptr ? -1 : last_->frame},
          {"age_ms", age.count()}};
}

}  // namespace tactus::drivers::live_http
