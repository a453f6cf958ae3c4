// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/executive.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include "executive/frame/stuck_mark.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

/// Describes the maximum that the frame which ended last has reached.
std::string overrun_text(const rtsync::RealtimeSync& sync) {
  if (sync.reached() == rtsync::Maximum::single_overrun)
    return "an overrun of " + rtsync::duration_text(-sync.timing().slack.count()) + " reached max_overrun";
  const std::int64_t overruns = sync.unforgiven_overruns();
  return std::to_string(overruns) +
         (overruns == 1 ? " overrun" : " overruns in a row (or not yet forgiven)") +
         " reached max_consecutive_overruns";
}

/// The same where room is scarce.
std::string overrun_brief(const rtsync::RealtimeSync& sync) {
  return sync.reached() == rtsync::Maximum::single_overrun ? overrun_text(sync)
                                                           : "max_consecutive_overruns reached";
}

}  // namespace

using rtsync::Verdict;

Executive::Executive(Plan plan, rtsync::RealtimeSync& sync, rtsync::Sleeper& sleeper,
                     rtsync::PacedClock& clock, RealtimeVariables& realtime_variables,
                     JobClock::Read read_time)
    : program_(std::move(plan), std::move(read_time)),
      sync_(sync),
      sleeper_(sleeper),
      commands_(program_.plan().commands, program_.plan().frame, program_.plan().freeze_frame, sleeper),
      status_(row_),
      requests_(program_, commands_, sync),
      jobs_(program_, requests_, status_),
      stuck_(jobs_, program_.plan(), commands_),
      transitions_(program_, jobs_, requests_, status_, stuck_, row_),
      services_(program_, jobs_, transitions_, commands_, status_, sync),
      outputs_(program_.plan().safe_outputs),
      slack_(clock),
      boundary_(program_, commands_, row_, slack_),
      freeze_(boundary_, commands_, jobs_, status_, sync, row_),
      accounts_(program_, realtime_variables, clock),
      restorer_(program_, jobs_, status_, accounts_, commands_, row_),
      restart_({restorer_, jobs_, transitions_, commands_, boundary_, status_, outputs_, row_}) {
  if (!program_.plan().safe_outputs.empty()) add(outputs_);
}

void Executive::run_default_data() {
  const std::vector<std::string> failures = jobs_.run_once(TACTUS_DEFAULT_DATA);
  if (failures.empty()) return;
  status_.enter(State::abort);
  throw std::runtime_error(failures.front());
}

void Executive::run_initialization() {
  status_.enter(State::start);
  restorer_.keep_initial();
  const std::vector<std::string> failures = jobs_.initialize();
  if (failures.empty()) return;
  status_.enter(State::abort);
  throw std::runtime_error(failures.front());
}

std::vector<std::string> Executive::run_shutdown() {
  status_.enter(State::disconnect);
  return jobs_.run_once(TACTUS_SHUTDOWN);
}

/// Waits until every part allows the first frame.
void Executive::await_grant(std::int64_t k) {
  while (!commands_.ending() && !granted(k)) {
  }
  (void)row_.tell({RigChange::launched, k});
}

/// All parts allow frame k. Else one was waited for, a freeze frame's time at most.
bool Executive::granted(std::int64_t k) TACTUS_RT {
  const bool first = k == first_frame_ && frames_run_ == 0;
  for (FramePart* const part : row_.grants) {
    if (part->may_begin(k, {sync_.active(), first})) continue;
    status_.mark_idle();
    const bool may =
        part->may_begin(k, {sync_.active(), first, rtsync::monotonic_now() + plan().freeze_frame.floor()});
    status_.mark_busy();
    if (may) continue;
    status_.show_waiting();
    return false;
  }
  return true;
}

/// Returns true if a part has this verdict on the frame that comes next: it ends the rig. Asked before any wait.
bool Executive::ends_before(std::int64_t k, PartVerdict::What what) TACTUS_RT {
  PartVerdict end = row_.before(k, what);
  if (end.what != what) return false;
  end.what = PartVerdict::terminate;
  ended_by_ = end;
  return true;
}

/// False: one of them ends the rig.
bool Executive::begin_parts(std::int64_t k) TACTUS_RT {
  PartTimes& times = accounts_.evidence().parts();
  times.begin_frame();
  if (!row_.begins.empty()) times.skip();
  for (FramePart* const part : row_.begins) {
    const PartVerdict verdict = part->begin_frame(k);
    times.passed(*part);
    if (verdict.what == PartVerdict::pause) request_pause();
    if (verdict.what != PartVerdict::terminate) continue;
    ended_by_ = verdict;
    return false;
  }
  return true;
}

/// Waits for the clock's first slot: what is outside may not be ready yet, and the rig lives all the same.
Verdict Executive::await_start(Verdict verdict, std::int64_t k) TACTUS_RT {
  while (verdict == Verdict::not_yet && !commands_.ending()) {
    status_.show_waiting();
    verdict = sync_.start(k);
  }
  // A wait that was cut short has done its duty: the loop sees who asked for the end.
  return verdict == Verdict::not_yet || verdict == Verdict::interrupted ? Verdict::go_on : verdict;
}

RunEnd Executive::run(std::int64_t frames) {
  try {
    sync_.initialize();
  } catch (...) {
    end_outputs_safe();
    status_.enter(State::abort);
    throw;
  }
  program_.order_overlays();
  was_realtime_ = !sync_.active();
  follow_realtime();
  transitions_.publish_all();
  program_.lane(0).enter_thread();
  const rtsync::RunCounters before = rtsync::RunCounters::of_this_thread();
  std::int64_t k = first_frame_ = frames_done();
  commands_.seek(k);
  (void)row_.tell({RigChange::started, k});
  boundary_.stand_at(k);
  await_grant(k);
  Verdict verdict = await_start(sync_.start(k), k);
  bool broke_off = false;
  status_.mark_busy();
  verdict = pause_as_wanted(verdict, k, k < frames);
  while (verdict == Verdict::go_on && !commands_.ending() && !jobs_.failed()) {
    if (commands_.restore_wanted()) {
      const std::optional<std::int64_t> frame = restart_.run();
      if (!frame) break;
      k = *frame;
      status_.mark_idle();
      verdict = await_start(sync_.restart(k), k);
      status_.mark_busy();
    } else {
      if (k >= frames || ends_before(k, PartVerdict::terminate)) break;
      if (granted(k)) {
        if (!row_.grants.empty() && commands_.ending()) break;  // it is why nobody is waited for any more
        if (!run_frame(k)) {
          broke_off = ended_by_.what != PartVerdict::terminate;  // then none of its jobs has run
          if (broke_off && sync_.active()) (void)sync_.assess();
          break;
        }
        verdict = end_frame(k);
        ++k;
        ++frames_run_;
        // Nothing depends any more on the wait after the last frame.
        if (k == frames && (verdict == Verdict::clock_freeze || verdict == Verdict::clock_terminate))
          verdict = Verdict::go_on;
      }
    }
    verdict = pause_as_wanted(verdict, k, k < frames);
  }
  status_.mark_idle();
  end_outputs_safe();  // before anything else
  // What a part saw in the last frame, in the one in which a stop arrived, or when it froze the rig, ends it as well.
  if (ended_by_.what != PartVerdict::terminate && !ends_before(k, PartVerdict::terminate))
    (void)ends_before(k, PartVerdict::freeze);
  (void)row_.tell({RigChange::stopped, k});
  // The frame that ends the rig is counted with its lateness and its overrun, like any other; but not beside a
  // worker that still runs in it.
  if (broke_off && sync_.active() && !jobs_.stuck()) {
    accounts_.add(k, sync_.timing(), sync_.totals());
    (void)row_.tell({RigChange::broke_off, k});
  }
  jobs_.count_times();
  counters_ = rtsync::RunCounters::of_this_thread() - before;
  (void)transitions_.join();
  sync_.shutdown();
  return ended(verdict, k);
}

Verdict Executive::pause_as_wanted(Verdict verdict, std::int64_t k, bool frames_left) TACTUS_RT {
  boundary_.take_commands(k);
  for (;;) {
    const bool told = verdict == Verdict::freeze || verdict == Verdict::clock_freeze;
    const bool asked = verdict == Verdict::go_on && commands_.paused() &&
                       (frames_left || row_.before(k, PartVerdict::freeze).what == PartVerdict::freeze);
    if (jobs_.failed() || (!told && (!asked || commands_.ending() || commands_.restore_wanted())))
      return verdict;
    if (told) commands_.force_pause();
    if (verdict == Verdict::clock_freeze) outputs_.drive_safe();
    verdict = freeze_.run(k, verdict == Verdict::clock_freeze);
    frames_left = true;
  }
}

bool Executive::run_frame(std::int64_t k) TACTUS_RT {
  status_.enter(State::step_begin);
  for (std::size_t lane = 0; lane < program_.lanes(); ++lane) program_.lane(lane).begin_frame(k);
  if (row_.writes && program_.has_overlays()) program_.hide_overlays(0);
  if (!begin_parts(k) || !transitions_.run(k) || !jobs_.run_frame(k)) return false;
  PartTimes& times = accounts_.evidence().parts();
  if (!row_.ends.empty()) times.skip();
  for (FramePart* const part : row_.ends) {
    part->end_frame(k);
    times.passed(*part);
  }
  if (commands_.take_safe_wanted()) outputs_.drive_safe();
  return true;
}

Verdict Executive::end_frame(std::int64_t k) TACTUS_RT {
  program_.lane(0).set_running(kNoPlanJob);
  const Verdict verdict = sync_.assess();
  use_slack(k);
  status_.mark_idle();
  const Verdict waited = verdict == Verdict::go_on ? sync_.wait() : verdict;
  status_.mark_busy();
  reset_rttime();
  follow_realtime();
  // A wait that was cut short has done its duty: the loop sees who asked for the end.
  return waited == Verdict::interrupted ? Verdict::go_on : waited;
}

/// Does the work that follows the jobs of frame k; it delays no frame as long as it fits.
void Executive::use_slack(std::int64_t k) TACTUS_RT {
  const rtsync::FrameTiming& timing = sync_.timing();
  PartTimes& times = accounts_.evidence().parts();
  times.skip();
  accounts_.add(k, timing, sync_.totals());
  times.passed("statistics");
  status_.send_heartbeat();
  status_.end_frame(k, jobs_.sim_time_ns(), sync_, frames_run_ + 1);
  if (timing.paced)
    slack_.open(sync_.slot_of(k + 1));
  else
    slack_.open_unlimited();
  for (FramePart* const part : row_.boundaries) {
    part->at_boundary(k + 1, slack_);
    times.passed(*part);
  }
  status_.show(status_.frame());
  for (FramePart* const part : row_.slacks) {
    part->in_slack({k, status_.frame(), slack_});
    times.passed(*part);
  }
  for (FramePart* const part : row_.keepers) {
    part->keep_state(k + 1, slack_);
    times.passed(*part);
  }
}

void Executive::reset_rttime() TACTUS_RT {
  if (!rttime_) return;
  const rtsync::FrameTiming& timing = sync_.timing();
  if (rttime_->is_due(rtsync::monotonic_now(), timing.paced && timing.slack > Nanoseconds{0}))
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // long enough to be a sleep
}

void Executive::follow_realtime() TACTUS_RT {
  if (sync_.active() == was_realtime_) return;
  was_realtime_ = !was_realtime_;
  (void)row_.tell({was_realtime_ ? RigChange::paced : RigChange::unpaced});
}

/// Returns how a run ended before frame k, and why: of several causes the gravest.              @when service
RunEnd Executive::end_of(Verdict verdict, std::int64_t k) const {
  const std::string frame = "frame " + std::to_string(k) + ": ";
  if (const std::string failure = jobs_.take_failure_text(); !failure.empty())
    return {Outcome::failed, frame + failure};
  if (const std::optional<std::size_t> stuck = stuck_.thread())
    return {Outcome::aborted, frame + stuck_.text(*stuck)};
  if (!restart_.failure().reason.empty()) return restart_.failure();
  if (verdict == Verdict::source_lost)
    return {Outcome::aborted, std::string("the sleeper '") + sleeper_.name() + "' cannot wait any more"};
  if (verdict == Verdict::clock_terminate) return {Outcome::clock_lost, sleeper_.failure()};
  if (ended_by_.what == PartVerdict::terminate)
    return {ended_by_.outcome,
            "frame " + std::to_string(ended_by_.frame.value_or(k)) + ": " + ended_by_.reason};
  if (const char* const aborted = commands_.abort_reason()) return {Outcome::aborted, aborted};
  if (verdict == Verdict::terminate)
    return {Outcome::overrun, "frame " + std::to_string(k - 1) + ": " + overrun_text(sync_), 0,
            "frame " + std::to_string(k - 1) + ": " + overrun_brief(sync_)};
  if (const char* const stopped = commands_.stop_reason())
    return {.outcome = Outcome::stopped, .reason = stopped, .planned = commands_.stop_planned()};
  return {};
}

RunEnd Executive::ended(Verdict verdict, std::int64_t k) {
  stuck_.mark_awaited();
  RunEnd end = end_of(verdict, k);
  end.frames = frames_run_;
  const bool broken_off = end.outcome == Outcome::failed || end.outcome == Outcome::aborted ||
                          ended_by_.what == PartVerdict::terminate;
  if (broken_off) status_.enter_if_allowed(State::abort);
  status_.enter_if_allowed(State::stop);
  return end;
}

}  // namespace tactus::executive
