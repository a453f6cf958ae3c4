// SPDX-License-Identifier: Apache-2.0
/// Work of the service thread while others work: RigRun's waits, and what it reports meanwhile.
#include <exception>

#include "config/number.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run_base/safe_end.hpp"
#include "rtsync/crash/crash_handler.hpp"

namespace tactus::executive {

using rtsync::Provision;

/// Runs what may take long on a thread of its own, so that signals are heard meanwhile.
bool RigRun::run_aside(RunObserver& watcher, const char* what, const std::function<void()>& work) {
  setup_done_.store(false);
  setup_thread_ = std::make_unique<rtsync::PinnedThread>(run_.cpus.helper("setup"), [this, work] {
    const rtsync::CrashStack stack;
    JobRunner::enter_thread(0);
    try {
      work();
    } catch (...) {
      setup_done_.store(true);
      throw;
    }
    setup_done_.store(true);
  });
  if (!poll_until(watcher, setup_done_, what)) return false;
  try {
    setup_thread_->join();
  } catch (const std::exception& error) {
    run_.end = {Outcome::failed, error.what(), 0};
    return false;
  }
  return true;
}

/// Serves until `done`. False when a job will never return: the end says which, and the process has to be ended
/// with rtsync::end_process.
bool RigRun::poll_until(RunObserver& watcher, const std::atomic<bool>& done, const char* what) {
  end_watch_->begin(EndWatch::Clock::now(), main_->released() && main_->done(), what, !main_->released());
  const Patience patience;
  while (!done.load()) {
    watcher.tick(*this, patience.next());
    poll();
    const bool overdue = end_watch_->overdue();
    if (done.load()) break;
    if (const std::string note = end_watch_->take_note(); !note.empty()) run_.voice->say(note);
    if (!overdue) continue;
    end_outputs_safe_aside(executive());
    const bool in_frame = run_.realtime && main_->released() && !main_->done() &&
                          !end_watch_->drives_outputs() && !executive().stuck_mark().is_in_call();
    run_.totals_when_stuck = end_watch_->totals(in_frame);
    if (in_frame) run_.overran = end_watch_->overran();
    run_.stuck = true;
    run_.end = {Outcome::aborted, end_watch_->reason(), executive().latest().frames};
    run_.voice->say(run_.end.reason);
    return false;
  }
  return true;
}

/// True: go on with a wait at the end. Not when the rig was aborted and a call has not returned for two seconds since,
/// nor when it has not for the longest time. Says after a second what is waited for.
bool RigRun::waits_on(RunObserver& watcher, std::chrono::nanoseconds hangs, const AwaitedEnd& end,
                      std::chrono::seconds longest) {
  constexpr std::chrono::seconds kSaid{1};
  constexpr std::chrono::seconds kAborted{2};
  if (hangs >= kSaid && told_wait_ != end.what) {
    told_wait_ = end.what;
    watcher.say("the rig waits for a call that was made while " + end.what + end.call +
                "; a second signal (Ctrl-C) ends it without waiting");
  }
  if (hangs >= longest || (hangs >= kAborted && executive().abort_requested())) return false;
  if (awaited_ != end.what) {
    awaited_ = end.what;
    patience_ = Patience();
  }
  watcher.tick(*this, patience_.next());
  return true;
}

/// Says whose outputs could not be driven safe, at once: the rig may stand frozen for long.
void RigRun::say_unsafe_outputs() {
  if (!executive().output_stuck()) return;
  std::string models;
  std::size_t count = 0;
  for (const SafeOutput* const output : executive().plan().safe_outputs)
    if (output->has_failed()) models += (++count == 1 ? "'" : ", '") + output->name() + "'";
  const std::string text = "an output could not be driven to its safe value (model" +
                           std::string(count == 1 ? " " : "s ") + models + "): look at the bench";
  if (text == told_unsafe_) return;
  told_unsafe_ = text;
  run_.voice->say(text);
}

/// Does the work of the service thread beside the frames.
void RigRun::poll() {
  constexpr std::chrono::seconds kSeldom{1};
  say_unsafe_outputs();
  for (const auto& each : run_.capabilities) each->poll(*run_.voice);
  files_.poll();
  const auto now = std::chrono::steady_clock::now();
  if (now - polled_seldom_ < kSeldom) return;
  polled_seldom_ = now;
  for (const auto& each : run_.capabilities) each->poll_seldom(*run_.voice);
}

/// Lists which threads there are; those of the frames are to keep what they have now.
void RigRun::list_threads() {
  threads_ = rtsync::list_threads();
  for (const rtsync::ThreadFacts& thread : threads_) {
    if (main_->owns(thread.tid)) main_facts_ = thread;
    if (main_->owns(thread.tid) || run_.threads->owns(thread.tid)) run_.frame_threads.push_back(thread.tid);
  }
}

void RigRun::refuse_or_warn() const {
  std::string refusals;
  for (const Provision& provision : run_.provisions)
    if (!provision.granted) refusals += "\n  " + rtsync::sentence(provision);
  if (refusals.empty() || !run_.realtime || run_.rig.settings().privileges == Privileges::prefer) return;
  throw MachineError("the machine refuses what the rig requires (privileges: require):" + refusals +
                     "\nnothing was started; 'tactus doctor' lists what prevents it");
}

void RigRun::log_start() {
  RunLog& log = files_.log();
  log.info("rig " + run_.rig.settings().rig.value + ", " + run_.pace() + ", frame " +
           config::show_period(run_.rig.plan().frame));
  if (run_.start != nullptr)
    log.info("continues from checkpoint " + options_.from.string() + " at frame " +
             std::to_string(run_.start->frame));
  for (const std::string& note : run_.rig.notes()) run_.voice->say(note);
  for (const Provision& provision : run_.provisions)
    provision.granted ? log.info(rtsync::sentence(provision)) : log.warn(rtsync::sentence(provision));
  for (const rtsync::ThreadFacts& thread :
       rtsync::list_threads())  // some have come since the frames' were noted
    log.info("thread " + thread.name + " (" + std::to_string(thread.tid) + "): " + thread.policy_name + " " +
             std::to_string(thread.priority) + ", CPUs " + thread.cpus.text());
  log.flush();  // it is there even if the process is killed
}

std::string RigRun::why_failed() const {
  if (options_.fail_on == FailOn{}) return "";
  return executive::why_failed(options_.fail_on, figures_of(run_));
}

int RigRun::exit_status() const {
  if (run_.incomplete) return 1;
  if (!files_.error().empty()) return 1;  // a script that looks for summary.json must not believe in success
  if (!run_.end.in_order() || !why_failed().empty()) return 1;
  return run_.asked_status;
}

}  // namespace tactus::executive
