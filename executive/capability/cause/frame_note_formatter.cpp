// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/frame_note_formatter.hpp"

#include <algorithm>
#include <utility>

#include "config/text.hpp"
#include "executive/capability/cause/finding_text.hpp"
#include "executive/capability/cause/finding_words.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::Cause;
using rtsync::OverrunCause;

namespace {

/// Cuts the culprit where both do not fit: how late the frame was is always there.
std::string brief_of(std::string blamed, const std::string& how_late) {
  constexpr std::size_t kShortest = 20;
  const std::string rest = how_late + "; details in log.txt";
  if (blamed.empty()) return rest;
  blamed = config::one_line(blamed);  // escapes take room, too
  const std::size_t room =
      std::max(LateLine::kMostBrief - std::min(rest.size(), LateLine::kMostBrief), kShortest);
  if (blamed.size() + 2 > room) {
    std::size_t end = room - 5;
    while (end > 0 && rtsync::is_continuation(blamed[end])) --end;
    blamed.resize(end);
    blamed += "...";
  }
  return blamed + "; " + rest;
}

}  // namespace

void FrameNoteFormatter::add(Sum& sum, const FrameNote& note, const Finding& finding, bool worse) const {
  ++sum.causes[static_cast<std::size_t>(finding.cause)];
  if (sum.count++ == 0) sum.first = note.timing.frame;
  sum.last = note.timing.frame;
  if (sum.count > 1 && !worse) return;
  sum.worst = note;
  sum.origin = origin_;
}

void FrameNoteFormatter::take(const FrameNote& note) {
  const rtsync::FrameTiming& timing = note.timing;
  if (timing.overrun != OverrunCause::none) {
    add(overruns_, note, note.overrun, timing.slack < overruns_.worst.timing.slack);
    ++by_[timing.overrun];
    in_grace_ += timing.grace ? 1 : 0;
    slots_lost_ += timing.lost;
    if (note.overrun.cause != Cause::none && note.overrun.cause != Cause::catching_up) {
      origin_ = note.overrun;
      origin_.frame = timing.frame;
    }
  }
  if (timing.late_wake) add(late_wakes_, note, note.late, timing.late > late_wakes_.worst.timing.late);
  if (timing.late_by_housekeeping)
    add(housekeeping_, note, note.late, timing.late > housekeeping_.worst.timing.late);
}

/// "preempted: 'burst' (tid 312, SCHED_FIFO 97)"; of a frame that catches up, what began it.
std::string FrameNoteFormatter::blame(const Finding& finding, const Finding& origin) const {
  if (finding.cause == Cause::none) return "";
  if (finding.cause == Cause::unknown) return "unknown cause";
  if (finding.cause == Cause::catching_up && finding.part == nullptr && origin.cause != Cause::none &&
      origin.frame == finding.frame)
    return blame(origin, origin) + " in frame " + std::to_string(origin.frame);
  const std::string who = culprit_beside_cause(finding, plan_);
  return std::string(name_of(finding.cause)) + (who.empty() ? "" : ": " + who);
}

LateLine FrameNoteFormatter::line(const Finding& finding, const std::string& how_late, const Sum& sum,
                                  const char* what, const std::string& seen) const {
  const std::string blamed = blame(finding, sum.origin);
  const std::string worst =
      how_late + (sum.count == 1 ? "" : ", the worst of " + std::to_string(sum.count) + " " + what);
  const std::string frames = sum.count == 1 ? "" : " " + frames_text(sum.first, sum.last);
  return {(blamed.empty() ? "" : blamed + "; ") + worst + frames + seen, brief_of(blamed, worst)};
}

/// Slack of the last frames; as many as there were.
std::string FrameNoteFormatter::slack_before(const FrameNote& note) {
  const std::int64_t frames = note.frames_before;
  if (frames == 0) return "";
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
      text += " " + std::to_string(sum.causes[i]) + " " + std::string(name_of(static_cast<Cause>(i)));
  return text;
}

std::string FrameNoteFormatter::text_of_late(const FrameNote& note) const {
  if (note.late.cause == Cause::none) return "";
  return note.overrun.cause == Cause::none ? text_of(note, plan_, cpus_) : text_of(note.late, plan_, cpus_);
}

/// " (10 by work, 20 catching up; 3 slots lost)"; of a single overrun " (by work)".
std::string FrameNoteFormatter::kinds() const {
  std::string text;
  constexpr std::pair<OverrunCause, const char*> kKinds[] = {{OverrunCause::work, "by work"},
                                                             {OverrunCause::late_wake, "by a late wake"},
                                                             {OverrunCause::housekeeping, "by housekeeping"},
                                                             {OverrunCause::catching_up, "catching up"}};
  for (const auto& [cause, kind] : kKinds)
    if (const auto by = by_.find(cause); by != by_.end())
      text +=
          (text.empty() ? "" : ", ") + (overruns_.count == 1 ? "" : std::to_string(by->second) + " ") + kind;
  if (in_grace_ > 0)
    text += "; " + (overruns_.count == 1 ? "" : std::to_string(in_grace_) + " ") + "in the start-up grace";
  if (slots_lost_ > 0)
    text += "; " + std::to_string(slots_lost_) + (slots_lost_ == 1 ? " slot" : " slots") + " lost";
  return " (" + text + ")";
}

LateLine FrameNoteFormatter::overrun_line() const {
  const FrameNote& worst = overruns_.worst;
  std::string seen = kinds() + "; woken " + rtsync::duration_text(worst.timing.late.count()) +
                     " late, work " + rtsync::duration_text(worst.timing.work.count());
  if (worst.longest_job != FrameNote::kNoJob)
    seen += ", longest job " + plan_.jobs[worst.longest_job].name + " " +
            rtsync::duration_text(worst.longest_job_ns);
  seen += slack_before(worst);
  if (worst.overrun.cause != Cause::none) seen += causes(overruns_, text_of(worst, plan_, cpus_));
  return line(worst.overrun,
              "frame " + std::to_string(worst.timing.frame) + " overran by " +
                  rtsync::duration_text(-worst.timing.slack.count()),
              overruns_, "overruns", seen);
}

LateLine FrameNoteFormatter::late_wake_line() const {
  const FrameNote& worst = late_wakes_.worst;
  return line(worst.late,
              "frame " + std::to_string(worst.timing.frame) + " was woken " +
                  rtsync::duration_text(worst.timing.late.count()) + " late",
              late_wakes_, "late wakes",
              "; its work took " + rtsync::duration_text(worst.timing.work.count()) +
                  causes(late_wakes_, text_of_late(worst)));
}

LateLine FrameNoteFormatter::housekeeping_line() const {
  const FrameNote& worst = housekeeping_.worst;
  Finding finding = worst.late;
  if (finding.cause == Cause::none) finding.cause = Cause::housekeeping;
  return line(finding,
              "frame " + std::to_string(worst.timing.frame) + " began " +
                  rtsync::duration_text(worst.timing.late.count()) + " late",
              housekeeping_, "frames after long housekeeping",
              "; housekeeping (copies of checkpoints, snapshots) took " +
                  rtsync::duration_text(worst.timing.housekeeping.count()) + " after the frame before" +
                  causes(housekeeping_, text_of_late(worst)));
}

LateLine FrameNoteFormatter::line_of_unended(const FrameNote& note) const {
  Sum sum;
  add(sum, note, note.overrun, true);
  return line(note.overrun,
              "frame " + std::to_string(note.timing.frame) + " overran by " +
                  rtsync::duration_text(-note.timing.slack.count()) + " when the rig stopped waiting for it",
              sum, "overruns", "; " + text_of(note, plan_, cpus_));
}

std::vector<LateLine> FrameNoteFormatter::take_log_lines(std::uint64_t notes_lost) {
  std::vector<LateLine> lines;
  if (overruns_.count > 0) lines.push_back(overrun_line());
  if (late_wakes_.count > 0) lines.push_back(late_wake_line());
  if (housekeeping_.count > 0) lines.push_back(housekeeping_line());
  if (notes_lost > told_lost_) {
    const std::string text =
        std::to_string(notes_lost - told_lost_) + " notes of frames lost (the ring was full)";
    lines.push_back({text, text});
  }
  told_lost_ = notes_lost;
  overruns_ = {};
  late_wakes_ = {};
  housekeeping_ = {};
  by_.clear();
  in_grace_ = slots_lost_ = 0;
  return lines;
}

}  // namespace tactus::executive
