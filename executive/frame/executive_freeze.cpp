// How an executive stands still.
#include <bit>

#include "executive/frame/executive.hpp"

namespace tactus::executive {

using rtsync::Verdict;

Verdict Executive::pause_as_wanted(Verdict verdict, std::int64_t k, bool frames_left) TACTUS_RT {
  take_commands(k);
  for (;;) {
    const bool told = verdict == Verdict::freeze || verdict == Verdict::clock_freeze;
    const bool asked = frames_left && verdict == Verdict::go_on && commands_.paused();
    if (failed_ || (!told && (!asked || commands_.ending() || restore_requested()))) return verdict;
    if (told) commands_.force_pause();
    if (verdict == Verdict::clock_freeze) safe_outputs_.drive_safe();
    verdict = freeze(k, verdict == Verdict::clock_freeze);
    frames_left = true;
  }
}

Verdict Executive::freeze(std::int64_t k, bool clock_fault) TACTUS_RT {
  enter(State::pause);
  Snapshot frozen = latest_frame_;
  frozen.state = State::pause;
  frozen.clock_fault = clock_fault;
  frozen.episode = pauses_before(k);
  frozen.reached = sync_.reached();
  for (FramePart* const part : row_.freezes) part->freeze_begin({k, frozen, why_frozen(clock_fault)});
  sync_.freeze_init();
  program_.freeze_schedule().reset();
  if (!run_list(TACTUS_FREEZE_INIT, {0, 0, plan().freeze_frame.seconds()})) return Verdict::go_on;
  std::int64_t n = 0;
  for (; commands_.paused(); ++n) {
    if (!run_freeze_frame(n)) return Verdict::go_on;
    stand_at(k);
    if (failed_) return Verdict::go_on;
    send_heartbeat();
    frozen.heartbeats = heartbeats_;
    latest_.write(frozen);
    const Verdict verdict = rest_frozen(k, {k, frozen, why_frozen(clock_fault)});
    if (verdict == Verdict::source_lost || verdict == Verdict::clock_terminate) return verdict;
    if (commands_.ending())
      return sync_.reached() == rtsync::Maximum::none ? Verdict::go_on : Verdict::terminate;
    if (restore_requested()) return Verdict::go_on;
    commands_.freeze_frame_ended();
    take_commands(k);
    if (!commands_.paused()) continue;
    for (FramePart* const part : row_.freeze_frames) part->freeze_frame({k, frozen, why_frozen(clock_fault)});
  }
  enter(State::resume);
  for (FramePart* const part : row_.resumes) part->resume();
  if (!run_list(TACTUS_UNFREEZE, {plan().freeze_frame.times(n).count(), n, plan().freeze_frame.seconds()}))
    return Verdict::go_on;
  return sync_.unfreeze();
}

/// Until the next freeze frame, or the rig is told to do something else. What is asked from outside is
/// answered meanwhile.
Verdict Executive::rest_frozen(std::int64_t k, const Frozen& frozen) TACTUS_RT {
  bool begins = serve_frozen(frozen);
  for (;;) {
    if (begins) {
      commands_.let_go();
      return Verdict::go_on;
    }
    mark_idle();
    const Verdict verdict = sync_.freeze_pause(row_.servers.empty() ? nullptr : &commands_.nudged());
    mark_busy();
    if (row_.servers.empty() || !commands_.take_nudge()) return verdict;
    begins = serve_frozen(frozen);
    if (verdict != Verdict::go_on || commands_.ending() || restore_requested()) return verdict;
    if (begins) continue;
    if (sync_.freeze_frame_over()) return verdict;  // however much is asked, those who watch over it are told
    take_commands(k);
    if (!commands_.paused()) return verdict;
  }
}

/// What was asked from outside of a rig that stands still. True: it is to go on.
bool Executive::serve_frozen(const Frozen& frozen) TACTUS_RT {
  bool begins = false;
  for (FramePart* const part : row_.servers) begins = part->serve(frozen) || begins;
  return begins;
}

const char* Executive::why_frozen(bool clock_fault) const TACTUS_RT {
  if (!commands_.paused_here()) return "";
  if (clock_fault) return "a fault of the external clock";
  return sync_.reached() != rtsync::Maximum::none ? "a maximum of the overrun policy was reached"
                                                  : "the rig was paused";
}

/// The jobs of one freeze frame: those with a freeze time of their own, then those of its end.
bool Executive::run_freeze_frame(std::int64_t n) TACTUS_RT {
  struct Visitor {
    Executive& self;
    void controller() TACTUS_RT {}
    CallEnd call(std::uint32_t place) TACTUS_RT {
      return self.program_.lane(0).call(self.program_.freeze_entry(place));
    }
  } visitor{*this};
  Schedule& schedule = program_.freeze_schedule();
  program_.lane(0).begin();
  while (!failed_ && schedule.next(n)) {
    schedule.start(0);
    failed_ = schedule.run(0, visitor) != LaneEnd::done;
    schedule.close();
  }
  const rtsync::Period& frame = plan().freeze_frame;
  const bool good = !failed_ && run_list(TACTUS_FREEZE, {frame.times(n + 1).count(), n, frame.seconds()});
  program_.lane(0).set_running(kNoPlanJob);
  program_.lane(0).count();
  return good;
}

}  // namespace tactus::executive
