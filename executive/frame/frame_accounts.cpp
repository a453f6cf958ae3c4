// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/frame_accounts.hpp"

#include <algorithm>

namespace tactus::executive {
namespace {

constexpr std::size_t kNotesBetween = 180;  // of paused frames, and until the reader comes

/// Number of notes that the frames of a run can leave.
std::size_t most_notes(const Plan& plan) {
  if (!plan.until) return NoteRing::kPieces;
  const std::int64_t frames = plan.until->count() / std::max<std::int64_t>(plan.frame.floor().count(), 1);
  return static_cast<std::size_t>(std::min<std::int64_t>(frames, NoteRing::kPieces)) + kNotesBetween;
}

}  // namespace

FrameAccounts::FrameAccounts(Program& program, RealtimeVariables& variables, rtsync::PacedClock& clock)
    : program_(program),
      rt_(variables),
      evidence_(program, clock, statistics_),
      notes_(most_notes(program.plan())) {
  statistics_.slack.set_period(rtsync::real_period(program.plan().frame, program.plan().ratio).floor());
}

void FrameAccounts::add(std::int64_t k, const rtsync::FrameTiming& timing,
                        const rtsync::RealtimeTotals& totals) TACTUS_RT {
  const bool noteworthy = timing.paced && (timing.overrun != rtsync::OverrunCause::none || timing.late_wake ||
                                           timing.late_by_housekeeping);
  rtsync::Cause cause = rtsync::Cause::none;
  if (noteworthy) {
    note_ = {};
    evidence_.explain(timing, note_);
    cause = note_.named().cause;
  }
  evidence_.end_frame(timing);
  std::uint64_t longest = 0;
  std::uint32_t longest_job = kNoPlanJob;
  for (std::size_t i = 0; i < program_.lanes(); ++i) {
    Lane& lane = program_.lane(i);
    if (noteworthy) lane.find_longest();
    lane.count();
    lane.book_frame();
    if (!noteworthy || lane.longest_ticks() <= longest) continue;
    longest = lane.longest_ticks();
    longest_job = lane.longest_job();
  }
  if (k != next_ || !timing.paced) frames_before_ = 0;
  next_ = k + 1;
  statistics_.work.add(timing.work);
  if (timing.behind > rtsync::Nanoseconds{0}) statistics_.behind.add(timing.behind);
  if (timing.paced) {
    statistics_.late.add(timing.late);
    statistics_.slack.add(timing.slack);
    if (noteworthy) {
      note_.timing = timing;
      note_.longest_job = longest_job;
      note_.longest_job_ns = program_.job_clock().to_time(longest).count();
      note_.slack_before = slack_before_;
      note_.frames_before = frames_before_;
      if (!notes_.push(note_)) notes_lost_.fetch_add(1, std::memory_order_relaxed);
    }
    std::shift_left(slack_before_.begin(), slack_before_.end(), 1);
    slack_before_.back() = timing.slack.count();
    if (frames_before_ < FrameNote::kFramesBefore) ++frames_before_;
  }
  describe(k, timing, totals, cause,
           {noteworthy ? note_.beside.cause : rtsync::Cause::none,
            noteworthy ? note_.beside_share : rtsync::Nanoseconds{0}});
}

/// Fills in the variables rt.*.
void FrameAccounts::describe(std::int64_t k, const rtsync::FrameTiming& timing,
                             const rtsync::RealtimeTotals& totals, rtsync::Cause cause,
                             const CauseShare& beside) TACTUS_RT {
  const bool late = cause != rtsync::Cause::none;
  rt_ = {{.frame = k,
          .late = timing.late.count(),
          .work = timing.work.count(),
          .slack = timing.slack.count(),
          .overruns = totals.overruns,
          .late_wakes = totals.late_wakes,
          .late_by_housekeeping = totals.late_by_housekeeping,
          .lost = totals.lost,
          .cause = static_cast<std::int32_t>(cause),
          .overrun = static_cast<std::int32_t>(timing.overrun),
          .beside = static_cast<std::int32_t>(beside.cause),
          .beside_time = beside.time.count(),
          .behind = timing.behind.count()},
         late ? static_cast<std::int32_t>(cause) : rt_.last_cause,
         late ? k : rt_.last_late_frame};
}

void FrameAccounts::add_unended(const FrameNote& note, const rtsync::RealtimeTotals& totals) {
  const Finding& finding = note.overrun;
  if (finding.cause == rtsync::Cause::blocked && finding.job != Finding::kNoJob)
    program_.promises().add(finding.job, BrokenPromises::block, 1);
  describe(note.timing.frame, note.timing, totals, finding.cause, {});
}

}  // namespace tactus::executive
