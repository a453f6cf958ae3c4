#include "drivers/live/http/last_frame.hpp"

#include "drivers/live/http/replies.hpp"

namespace tactus::drivers::live_http {
namespace {

Json state_json(const executive::LiveRig& rig, executive::State state, std::int64_t frame,
                std::int64_t frames, std::int64_t sim_time_ns) {
  return {{"state", state_text(state)},
          {"frame", frame},
          {"frames", frames},
          {"sim_time_ns", sim_time_ns},
          {"date", date_of(rig.facts(), sim_time_ns)},
          {"paused", state == executive::State::pause},
          {"forced", rig.forced()}};
}

}  // namespace

void LastFrame::update(const executive::LiveSnapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  if (snapshot.sequence < sequence_) return;
  sequence_ = snapshot.sequence;
  frame_ = snapshot.frame;
  frames_ = snapshot.rig.frames;
  sim_time_ns_ = snapshot.sim_time_ns;
}

Json LastFrame::state(const executive::LiveRig& rig) const {
  const executive::State now = rig.state();
  const std::lock_guard lock(mutex_);
  return state_json(rig, now, frame_, frames_, sim_time_ns_);
}

Json LastFrame::state(const executive::LiveRig& rig, const executive::LiveSnapshot& snapshot) {
  return state_json(rig, snapshot.rig.state, snapshot.frame, snapshot.rig.frames, snapshot.sim_time_ns);
}

}  // namespace tactus::drivers::live_http
