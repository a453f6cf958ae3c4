// SPDX-License-Identifier: Apache-2.0
/// The end of a run: what RigRun::finish() consists of.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "executive/capability/cause/unended_frame.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/summary_text.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {
namespace {

constexpr std::chrono::seconds kSaid{1};  // a wait is not named before
constexpr std::chrono::minutes kLongestCheckpoint{10};

}  // namespace

/// Whether to go on with a wait at the end: not when the rig was aborted and a call has not returned for two seconds
/// since, nor when it has not for the longest time. Says after a second what is waited for.
bool RigRun::waits_on(RunObserver& watcher, std::chrono::nanoseconds hangs, const std::string& what,
                      std::chrono::seconds longest) {
  constexpr std::chrono::seconds kAborted{2};
  if (hangs >= kSaid && told_wait_ != what) {
    told_wait_ = what;
    watcher.say("the rig ends when this returns: " + what + "; a second signal (Ctrl-C) ends it without");
  }
  if (hangs >= longest || (hangs >= kAborted && executive_->abort_requested())) return false;
  watcher.tick(*this);
  return true;
}

/// False: a call on the run folder never returned.
bool RigRun::await_folder(RunObserver& watcher) {
  while (!folder_stuck_ && !folder_calls_->idle())
    folder_stuck_ = !waits_on(watcher, folder_calls_->hangs(), folder_calls_->what());
  return !folder_stuck_;
}

void RigRun::stop_recorder(RunObserver& watcher) {
  const rtsync::Doing doing("the recordings were closed");
  const auto waits = [&](std::chrono::nanoseconds hangs) {
    const Recording* const busy = recordings_.busy_with();
    return waits_on(watcher, hangs,
                    "the file of recording " + (busy == nullptr ? "" : busy->name()) + " was closed");
  };
  if (!recordings_.stop(waits)) file_stuck_ = true;
}

void RigRun::finish(RunObserver& watcher) {
  watcher.ending();
  (void)executive_->end_outputs_safe();  // the frames did, if there were any
  if (service_) service_->stopping();
  if (!stuck_) main_->join();
  if (end_.outcome == Outcome::overrun)
    if (const std::string why = teller_->last_overrun(); !why.empty()) end_.reason += "; " + why;
  privileges_->tell(*voice_);
  if (isolation_) isolation_->poll(*voice_);
  if (!privileges_->reason().empty() && end_.in_order())
    end_ = {Outcome::aborted, privileges_->reason(), end_.frames};
  if (link_ && !stuck_) watchdog_.stop(end_, *voice_);  // to leave may take its time
  if (live_) {
    const rtsync::Doing doing("the control port was closed");
    live_->close(end_, *voice_);
  }
  if (link_)
    link_->leave(
        end_, [&] { watcher.tick(*this); }, *voice_);
  if (!stuck_) save_end(watcher);
  if (!stuck_) shut_down(watcher);
  if (isolation_ && !stuck_) end_isolated(watcher);
  if (stuck_) watchdog_.stop(end_, *voice_);
  if (stuck_ && realtime_) tell_unended();
  if (executive_->output_stuck()) {
    const std::string failure = "an output could not be driven to its safe value: look at the bench";
    voice_->say(failure);
    end_.reason += (end_.reason.empty() ? "" : "; ") + failure;
    if (end_.in_order()) end_.outcome = Outcome::failed;
  }
  {
    const rtsync::Doing doing("the flight recorder wrote its last trace");
    flight_.finish(end_, stuck_, *voice_);
  }
  stop_recorder(watcher);
  {
    const rtsync::Doing doing("the last checkpoint was written");
    if (!checkpoints_.stop([&](std::chrono::nanoseconds hangs) {
          return waits_on(watcher, hangs, "the last checkpoint was written", kLongestCheckpoint);
        }))
      file_stuck_ = true;
    checkpoints_.poll(*voice_);
  }
  dma_latency_.reset();
  if (policies_) policies_->finish(*voice_);
  teller_->poll_seldom(*voice_);
  causes_->poll_seldom(*voice_);
  if (!stuck_) teller_->tell_unused(*voice_);  // a job that never returns may still be writing them
  libraries_.finish(end_, *voice_);
  recordings_.tell_losses(*voice_);
  if (const std::string failures = recordings_.failures(); !failures.empty())
    end_.reason += (end_.reason.empty() ? "" : "; ") + failures;
  if (realtime_ && !stuck_ && !sleeper().remark().empty())
    log_->info(std::string("sleeper ") + sleeper().name() + ": " + sleeper().remark());
  log_->last_word("ended after " + std::to_string(end_.frames) + " frames" +
                  (end_.reason.empty() ? "" : ": " + end_.reason));
  log_->flush();
  last_ = executive_->latest();
  write_summary(watcher);
}

/// Writes the last summary. Where the folder does not take it, the log, stderr and the witness get it.
void RigRun::write_summary(RunObserver& watcher) {
  struct Found {
    std::string became;
    config::Json traces = config::Json::array();
    std::string error;
  };
  const auto found = std::make_shared<Found>();
  (void)folder_calls_->make("the run folder was looked at",
                            [found, file = summary_file_, folder = options_.folder] {
                              found->became = file->what_became_of_folder();
                              found->traces = traces_json(traces_in(folder));
                            });
  if (await_folder(watcher)) {
    folder_error_ = found->became;
    traces_ = found->traces;
  }
  config::Json all = summary();
  if (!folder_stuck_) {
    config::Json brief = unfinished();
    brief["traces"] = traces_;
    for (const char* const key : {"outcome", "reason", "exit_status", "recordings"}) brief[key] = all[key];
    (void)folder_calls_->make(
        "summary.json was written",
        [found, file = summary_file_, text = summary_text(all), shorter = summary_text(brief)] {
          found->error = file->write_last(text, shorter);
        });
    if (await_folder(watcher) && found->error.empty() && folder_error_.empty()) return;
  }
  if (folder_stuck_)
    folder_error_ =
        "the run folder " + options_.folder.string() + " does not answer: a call on it did not return";
  else if (folder_error_.empty())
    folder_error_ = found->error;
  all["exit_status"] = exit_status();
  unwritten_ = all.dump(-1, ' ', false, config::Json::error_handler_t::replace);
  log_->last_word(folder_error_ + "; the summary: " + unwritten_);
  log_->flush();
  witness_.tell(
      [&] {
        config::Json told = all;
        told["@folder"] = options_.folder.string();
        told["@ended"] = true;
        return told;
      },
      *log_);
}

/// The frame that ends the rig, as one of its jobs does not return, has a cause like any other.
void RigRun::tell_unended() {
  const rtsync::RealtimeTotals totals = this->totals();
  if (!teller_->lacks_overrun(totals)) return;
  const std::size_t thread = executive_->stuck_mark().thread().value_or(executive_->jobs().working_thread());
  const pid_t tid = thread == 0 ? main_->tid() : job_threads_->tid(thread);
  const rtsync::Nanoseconds overran = std::min(end_watch_->overran(), totals.longest_overrun);
  const FrameNote note = note_of_unended(*executive_, thread, rtsync::look_at_thread(tid), overran);
  teller_->take_unended(note, *voice_);
  executive_->accounts().add_unended(note, totals);
  recordings_.take_unended(note.timing.frame);
}

/// The checkpoint of the end, and the end of the threads that run jobs.
void RigRun::save_end(RunObserver& watcher) {
  if (end_.in_order() && checkpoints_.wants_end()) {
    const std::int64_t frames = end_.frames;
    if (run_on_setup_thread(watcher, "the checkpoint of the end",
                            [this] { saved_ = checkpoints_.save_end(); }))
      checkpoints_.take(std::move(saved_));
    else
      end_.frames = frames;
  }
  if (job_threads_->stop()) return;
  stuck_ = true;  // as a thread never returns, no job runs any more
  totals_when_stuck_ = executive_->totals();
}

void RigRun::shut_down(RunObserver& watcher) {
  watchdog_.stop(end_, *voice_);  // shutdown jobs may take their time
  const RunEnd end = end_;
  if (!run_on_setup_thread(watcher, "the shutdown",
                           [this] { shutdown_failures_ = executive_->run_shutdown(); })) {
    if (!end.in_order()) end_ = end;  // what ended the rig before is what counts
    return;
  }
  for (const std::string& failure : shutdown_failures_) {
    voice_->say(failure);
    if (end_.in_order()) end_ = {Outcome::failed, failure, end_.frames};
  }
}

/// Ends the processes of isolated models: what one of them does while it is destroyed is an end of the run, too.
void RigRun::end_isolated(RunObserver& watcher) {
  const RunEnd end = end_;
  const auto failures = std::make_shared<std::vector<std::string>>();
  if (!run_on_setup_thread(watcher, "the destruction of the isolated models",
                           [this, failures] { *failures = isolation_->end_models(); })) {
    if (!end.in_order()) end_ = end;
    return;
  }
  for (const std::string& failure : *failures) {
    voice_->say(failure);
    if (end_.in_order()) end_ = {Outcome::failed, failure, end_.frames};
  }
}

}  // namespace tactus::executive
