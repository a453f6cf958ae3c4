// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/run_teller.hpp"

#include <algorithm>
#include <utility>

#include "executive/capability/cause/budget_lines.hpp"
#include "executive/capability/cause/finding_text.hpp"
#include "executive/capability/cause/unended_frame.hpp"
#include "executive/capability/clock/run_clock.hpp"
#include "executive/capability/record/run_recordings.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

RunTeller::RunTeller(RunContext& run)
    : RunTeller(*run.executive, *run.find<RunCauses>(), clock_status(run), run.pacing->source()) {
  run_ = &run;
}

void RunTeller::ended() {
  if (run_->end.outcome != Outcome::overrun) return;
  const std::string why = last_overrun();
  if (why.empty() || !last_frame_overran()) return;  // a budget may have ended it
  RunEnd& end = run_->end;
  if (end.brief.empty()) end.brief = end.reason;
  end.brief += "; " + last_overrun_in_brief();
  end.reason += "; " + why;
}

void RunTeller::finish() {
  if (run_->stuck && run_->realtime) tell_unended();
  poll_seldom(*run_->voice);
  if (run_->stuck) return;  // a job that never returns may still be writing what follows
  tell_unused(*run_->voice);
  if (run_->realtime) tell_totals();
}

/// The figures of the last line, which a terminal may have no room for.
void RunTeller::tell_totals() const {
  const rtsync::RealtimeTotals totals = run_->totals();
  const auto& late = executive_.statistics().late;
  const auto time = [](std::int64_t ns) { return rtsync::duration_text(ns); };
  run_->voice->log().info("in all: late p50 " + time(late.quantile(0.5).count()) + ", max " +
                          time(late.max().count()) + "; overruns " + std::to_string(totals.overruns) +
                          ", late wakes " + std::to_string(totals.late_wakes) +
                          ", frames late by housekeeping " + std::to_string(totals.late_by_housekeeping) +
                          ", slots lost " + std::to_string(totals.lost));
}

/// The frame that ends the rig, as one of its jobs does not return, has a cause like any other.
void RunTeller::tell_unended() {
  const rtsync::RealtimeTotals totals = run_->totals();
  if (!lacks_overrun(totals)) return;
  const std::size_t thread = executive_.stuck_mark().thread().value_or(executive_.jobs().working_thread());
  const pid_t tid = thread == 0 ? run_->main : run_->threads->tid(thread);
  const FrameNote note = note_of_unended(executive_, thread, rtsync::look_at_thread(tid),
                                         std::min(run_->overran, totals.longest_overrun));
  take_unended(note, *run_->voice);
  executive_.accounts().add_unended(note, totals);
  if (auto* const recordings = run_->find<RunRecordings>()) recordings->take_unended(note.timing.frame);
}

void RunTeller::poll(RunVoice& voice) {
  take_notes();
  const RigFigures& latest = executive_.latest();
  const bool paused = latest.state == State::pause;
  if (paused && !paused_) {
    poll_seldom(voice);
    between_episodes_ = latest.episode;  // as its client asked for: nothing to be said
    if (!between_episodes_) tell_pause(latest, voice);
  }
  if (!paused && paused_ && !between_episodes_) voice.log().info("resumed");
  paused_ = paused;
  if (const std::int64_t resets = executive_.restart().resets(); resets > resets_) {
    resets_ = resets;
    voice.say("reset done: running again from the initial state");
  }
  if (latest.state == State::start && latest.heartbeats > 0 && !waiting_) {
    waiting_ = true;
    voice.say(source_.empty() ? "waiting for the peers of the link" : "waiting for the edges of " + source_);
  }
}

void RunTeller::take_notes() {
  const std::int64_t next_frame = executive_.latest().frames;  // the notes of all before it are there
  FrameNote note;
  while (executive_.accounts().pop(note)) {
    notes_.take(note);
    causes_.take(note);
    if (note.timing.overrun != rtsync::OverrunCause::none) overran_ = note.timing.frame;
    if (note.is_late_from_after(std::exchange(noted_, note.timing.frame))) overrun_.reset();
    const rtsync::Cause cause = note.overrun.cause;
    if (cause != rtsync::Cause::none && cause != rtsync::Cause::catching_up) overrun_ = note.overrun;
    if (overruns_) overruns_->take(note, RunOverruns::Clock::now());
  }
  if (!overruns_) return;
  overruns_->note_lost(executive_.accounts().notes_lost());
  overruns_->flush(next_frame);
}

bool RunTeller::lacks_overrun(const rtsync::RealtimeTotals& totals) {
  take_notes();
  return causes_.overruns() < static_cast<std::int64_t>(totals.overruns + totals.grace_overruns);
}

void RunTeller::take_unended(const FrameNote& note, RunVoice& voice) {
  causes_.take(note);
  if (overruns_) overruns_->take(note, RunOverruns::Clock::now());
  const LateLine line = notes_.line_of_unended(note);
  voice.say(line.text, line.brief);
}

std::string RunTeller::last_overrun() {
  take_notes();
  return overrun_ ? text_of(*overrun_, executive_.plan(), &causes_.cpus()) : "";
}

std::string RunTeller::last_overrun_in_brief() const {
  if (!overrun_) return "";
  if (overrun_->cause == rtsync::Cause::unknown) return "unknown cause";
  const std::string who = culprit_of(*overrun_, executive_.plan());
  return std::string(name_of(overrun_->cause)) + (who.empty() ? "" : ": " + who);
}

void RunTeller::tell_pause(const RigFigures& latest, RunVoice& voice) {
  voice.say("paused after " + std::to_string(latest.frames) + " frames" +
            (latest.reached != rtsync::Maximum::none
                 ? " (a maximum of the overrun policy; it ends when it is resumed)"
                 : "") +
            (latest.clock_fault
                 ? " (a fault of the external clock: " + clock_->latest_fault() + "; outputs are driven safe)"
                 : "") +
            "; SIGUSR2 resumes, Ctrl-C stops");
}

void RunTeller::poll_seldom(RunVoice& voice) {
  take_notes();
  for (const LateLine& line : notes_.take_log_lines(executive_.accounts().notes_lost()))
    voice.say(line.text, line.brief);
  for (const std::string& line : take_budget_lines(executive_.plan(), executive_.program().budgets()))
    voice.say(line);
  if (clock_ == nullptr) return;
  for (const std::string& line : clock_lines_.take_log_lines(clock_->latest())) voice.say(line);
}

void RunTeller::tell_unused(RunVoice& voice) const {
  if (const std::size_t left = executive_.commands_left(); left > 0)
    voice.log().info(std::to_string(left) +
                     " commands of the rig file were not reached: the rig ended before their time");
  for (const auto& loop : executive_.program().loops())
    if (const std::int64_t cycles = loop->integrator().counters().cycles_over_budget; cycles > 0)
      voice.say("loop " + loop->name() + ": in " + std::to_string(cycles) +
                " cycles max_steps was too small for its tolerances; the rest of each cycle was one "
                "unchecked step");
}

}  // namespace tactus::executive
