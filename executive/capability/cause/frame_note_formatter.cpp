// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/frame_note_formatter.hpp"

#include <algorithm>

#include "executive/capability/cause/finding_text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::OverrunCause;

void FrameNoteFormatter::add(Sum& sum, const FrameNote& note, const Finding& finding, bool worse) const {
  ++sum.causes[static_cast<std::size_t>(finding.cause)];
  if (sum.count++ == 0) sum.first = note.timing.frame;
  sum.last = note.timing.frame;
  if (sum.count == 1 || worse) sum.worst = note;
}

void FrameNoteFormatter::take(const FrameNote& note) {
  const rtsync::FrameTiming& timing = note.timing;
  if (timing.overrun != OverrunCause::none) {
    add(overruns_, note, note.overrun, timing.slack < overruns_.worst.timing.slack);
    by_work_ += timing.overrun == OverrunCause::work ? 1 : 0;
    by_late_wake_ += timing.overrun == OverrunCause::late_wake ? 1 : 0;
    by_housekeeping_ += timing.overrun == OverrunCause::housekeeping ? 1 : 0;
    catching_up_ += timing.overrun == OverrunCause::catching_up ? 1 : 0;
    in_grace_ += timing.grace ? 1 : 0;
    slots_lost_ += timing.lost;
  }
  if (timing.late_wake) add(late_wakes_, note, note.late, timing.late > late_wakes_.worst.timing.late);
  if (timing.late_by_housekeeping)
    add(housekeeping_, note, note.late, timing.late > housekeeping_.worst.timing.late);
}

std::string FrameNoteFormatter::which_frames(const Sum& sum) const {
  return sum.count == 1 ? "in frame " + std::to_string(sum.first)
                        : "in frames " + std::to_string(sum.first) + " to " + std::to_string(sum.last);
}

/// As many frames as there were.
std::string FrameNoteFormatter::slack_before(const FrameNote& note) {
  const auto frames = std::min<std::int64_t>(note.timing.frame, FrameNote::kFramesBefore);
  if (frames <= 0) return "";
  std::string text = frames == 1 ? "; slack of the frame before:"
                                 : "; slack of the " + std::to_string(frames) + " frames before:";
  for (auto slack = note.slack_before.end() - frames; slack != note.slack_before.end(); ++slack)
    text += " " + rtsync::duration_text(*slack);
  return text;
}

/// "; blocked: job bad.step slept 3.00 ms ...", of several also how many each cause has.
std::string FrameNoteFormatter::causes(const Sum& sum, const std::string& worst) const {
  if (worst.empty()) return "";
  std::string text = "; " + worst;
  if (sum.count == 1) return text;
  text += "; causes:";
  for (std::size_t i = 1; i < sum.causes.size(); ++i)
    if (sum.causes[i] > 0)
      text += " " + std::to_string(sum.causes[i]) + " " + std::string(name_of(static_cast<rtsync::Cause>(i)));
  return text;
}

std::string FrameNoteFormatter::text_of_late(const FrameNote& note) const {
  if (note.late.cause == rtsync::Cause::none) return "";
  return note.overrun.cause == rtsync::Cause::none ? text_of(note, plan_, cpus_)
                                                   : text_of(note.late, plan_, cpus_);
}

std::vector<std::string> FrameNoteFormatter::take_log_lines(std::uint64_t notes_lost) {
  std::vector<std::string> lines;
  if (overruns_.count > 0) {
    const FrameNote& worst = overruns_.worst;
    std::string line =
        std::to_string(overruns_.count) + (overruns_.count == 1 ? " overrun " : " overruns ") +
        which_frames(overruns_) + " (" + std::to_string(by_work_) + " by work, " +
        std::to_string(by_late_wake_) + " by a late wake, " +
        (by_housekeeping_ == 0 ? "" : std::to_string(by_housekeeping_) + " by housekeeping, ") +
        std::to_string(catching_up_) + " catching up";
    if (in_grace_ > 0) line += "; " + std::to_string(in_grace_) + " in the start-up grace";
    if (slots_lost_ > 0) line += "; " + std::to_string(slots_lost_) + " slots lost";
    line += "): worst in frame " + std::to_string(worst.timing.frame) + ", over by " +
            rtsync::duration_text(-worst.timing.slack.count()) + ", woken " +
            rtsync::duration_text(worst.timing.late.count()) + " late, work " +
            rtsync::duration_text(worst.timing.work.count());
    if (worst.longest_job != FrameNote::kNoJob)
      line += ", longest job " + plan_.jobs[worst.longest_job].name + " " +
              rtsync::duration_text(worst.longest_job_ns);
    line += slack_before(worst);
    if (worst.overrun.cause != rtsync::Cause::none) line += causes(overruns_, text_of(worst, plan_, cpus_));
    lines.push_back(std::move(line));
  }
  if (late_wakes_.count > 0) {
    const FrameNote& worst = late_wakes_.worst;
    lines.push_back(
        std::to_string(late_wakes_.count) + (late_wakes_.count == 1 ? " late wake " : " late wakes ") +
        which_frames(late_wakes_) + ": worst " + rtsync::duration_text(worst.timing.late.count()) +
        " after the slot of frame " + std::to_string(worst.timing.frame) + "; its work took " +
        rtsync::duration_text(worst.timing.work.count()) + causes(late_wakes_, text_of_late(worst)));
  }
  if (housekeeping_.count > 0) {
    const rtsync::FrameTiming& worst = housekeeping_.worst.timing;
    lines.push_back(std::to_string(housekeeping_.count) + (housekeeping_.count == 1 ? " frame" : " frames") +
                    " begun late by housekeeping " + which_frames(housekeeping_) + ": worst " +
                    rtsync::duration_text(worst.late.count()) + " after the slot of frame " +
                    std::to_string(worst.frame) + "; copying checkpoints and snapshots and the like took " +
                    rtsync::duration_text(worst.housekeeping.count()) + " after the frame before" +
                    causes(housekeeping_, text_of_late(housekeeping_.worst)));
  }
  if (notes_lost > told_lost_)
    lines.push_back(std::to_string(notes_lost - told_lost_) + " notes of frames lost (the ring was full)");
  told_lost_ = notes_lost;
  overruns_ = {};
  late_wakes_ = {};
  housekeeping_ = {};
  by_work_ = by_late_wake_ = by_housekeeping_ = catching_up_ = in_grace_ = slots_lost_ = 0;
  return lines;
}

}  // namespace tactus::executive
