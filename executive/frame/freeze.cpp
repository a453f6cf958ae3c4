// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/freeze.hpp"

namespace tactus::executive {

using rtsync::Verdict;

Verdict Freeze::run(std::int64_t k, bool clock_fault) TACTUS_RT {
  status_.enter(State::pause);
  RigFigures frozen = status_.frame();
  frozen.state = State::pause;
  frozen.clock_fault = clock_fault;
  frozen.episode = boundary_.pauses_before(k);
  frozen.reached = sync_.reached();
  const auto tell = [&](RigChange::What what) TACTUS_RT {
    const Frozen freeze{k, frozen, why(clock_fault)};
    (void)row_.tell({what, k, &freeze});
  };
  tell(RigChange::frozen);
  sync_.freeze_init();
  if (!jobs_.begin_freeze()) return Verdict::go_on;
  std::int64_t n = 0;
  for (; commands_.paused(); ++n) {
    if (!jobs_.run_freeze_frame(n)) return Verdict::go_on;
    boundary_.stand_at(k);
    if (jobs_.failed()) return Verdict::go_on;
    status_.send_heartbeat();
    frozen.heartbeats = status_.heartbeats();
    status_.show(frozen);
    const Verdict verdict = rest({k, frozen, why(clock_fault)});
    if (verdict == Verdict::source_lost || verdict == Verdict::clock_terminate) return verdict;
    if (commands_.ending())
      return sync_.reached() == rtsync::Maximum::none ? Verdict::go_on : Verdict::terminate;
    if (commands_.restore_wanted()) return Verdict::go_on;
    commands_.freeze_frame_ended();
    boundary_.take_commands(k);
    if (!commands_.paused()) continue;
    tell(RigChange::freeze_frame);
  }
  status_.enter(State::resume);
  (void)row_.tell({RigChange::resumed, k});
  if (!jobs_.end_freeze(n)) return Verdict::go_on;
  if (jobs_.has_unfreeze_jobs()) sync_.freeze_work_ended();
  return sync_.unfreeze();
}

/// Rests until the next freeze frame or until a command arrives. Requests from outside are answered
/// meanwhile.
Verdict Freeze::rest(const Frozen& frozen) TACTUS_RT {
  bool begins = serve(frozen);
  for (;;) {
    if (begins) {
      commands_.let_go();
      return Verdict::go_on;
    }
    status_.mark_idle();
    const Verdict verdict = sync_.freeze_pause(row_.servers.empty() ? nullptr : &commands_.poll_wanted());
    status_.mark_busy();
    if (row_.servers.empty() || !commands_.take_poll_wanted()) return verdict;
    boundary_.keep_state(frozen.next);  // a checkpoint does not have what was asked for after it
    if (jobs_.failed()) return verdict;
    begins = serve(frozen);
    if (verdict != Verdict::go_on || commands_.ending() || commands_.restore_wanted()) return verdict;
    if (begins) continue;
    if (sync_.freeze_frame_over()) return verdict;  // however much is asked, those who watch over it are told
    boundary_.take_commands(frozen.next);
    if (!commands_.paused()) return verdict;
  }
}

/// Serves requests from outside while the rig is paused. True: the rig continues.
bool Freeze::serve(const Frozen& frozen) TACTUS_RT {
  bool begins = false;
  for (FramePart* const part : row_.servers) begins = part->serve(frozen) || begins;
  return begins;
}

const char* Freeze::why(bool clock_fault) const TACTUS_RT {
  if (!commands_.paused_here()) return "";
  if (clock_fault) return "a fault of the external clock";
  return sync_.reached() != rtsync::Maximum::none ? "a maximum of the overrun policy was reached"
                                                  : "the rig was paused";
}

}  // namespace tactus::executive
