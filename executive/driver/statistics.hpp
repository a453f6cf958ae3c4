// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "executive/driver/lifecycle.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/time/histogram.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// The times of all frames of a run. Written by the rig's thread, readable by others at any time.
struct FrameStatistics {
  rtsync::LatencyHistogram late;
  rtsync::SlackHistogram slack;
  rtsync::LatencyHistogram work;
};

/// What is handed out at the end of every frame, for the status line.
struct Snapshot {
  std::int64_t frames = 0;      ///< before this instant: a reset or a loaded checkpoint sets it back
  std::int64_t heartbeats = 0;  ///< frames and freeze frames: what goes on as long as the rig lives
  std::int64_t sim_time_ns = 0;
  State state = State::connect;
  rtsync::FrameTiming timing;
  rtsync::RealtimeTotals totals;
  rtsync::Maximum reached = rtsync::Maximum::none;  ///< of the overrun policy
  bool clock_fault = false;                         ///< paused because of the external clock
  bool episode = false;                             ///< paused because an episode has ended
  std::int64_t frames_run = 0;                      ///< since the start, whatever was set back
  std::int64_t models_lost = 0;                     ///< isolated ones whose processes have ended
};

/// Jobs of one thread that took longer than usual in the same frame.
struct JobGroup {
  std::uint32_t jobs = 0;         ///< 0: it is none
  std::uint32_t calls = 0;        ///< of them together
  rtsync::Nanoseconds excess{0};  ///< beyond their usual times, together
  /// Indices into Plan::jobs: those with the largest excess, the first one first.
  std::array<std::uint32_t, 3> first{UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

/// Why a frame overran or woke late, with what was seen of the thread that it is about.
struct Finding {
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  rtsync::Cause cause = rtsync::Cause::none;
  rtsync::FrameFacts facts;
  rtsync::Nanoseconds share{0};                ///< of facts.excess(): what `cause` had
  std::array<rtsync::CauseTime, 2> besides{};  ///< what other causes had of it, the larger one first
  bool is_beside = false;      ///< `cause` is one of them, and another finding has the largest share
  std::uint32_t job = kNoJob;  ///< index into Plan::jobs: the one that took too long, or was waited for
  JobGroup group{};            ///< several jobs, or calls of one: they shared the excess
  std::int64_t frame = 0;      ///< that began it: another one for catching_up
  rtsync::Evidence evidence;
  const char* part = nullptr;        ///< of work that is no job's: what of it took longest; a text that stays
  std::uint32_t inner_job = kNoJob;  ///< of an integration loop's: the job of it that took longest
  rtsync::Nanoseconds part_took{0};  ///< of either
  /// Of a wait for an asynchronous thread: why that was not ready.
  struct Root {
    rtsync::Cause cause = rtsync::Cause::none;  ///< none: it cannot be known
    rtsync::FrameFacts facts;
    rtsync::Evidence evidence;
    std::size_t thread = 0;  ///< as PlannedJob::thread, where it was no job that was waited for; 0: not known
  };
  Root root;
  /// How the frame began is what it is about.
  bool of_begin() const TACTUS_RT {
    return facts.part == rtsync::LatePart::wake || facts.part == rtsync::LatePart::housekeeping;
  }
};

/// A note that a frame leaves when something was not as it should be; put into words by the service thread.
struct FrameNote {
  static constexpr std::size_t kFramesBefore = 5;
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  rtsync::FrameTiming timing;
  std::uint32_t longest_job = kNoJob;  ///< index into Plan::jobs
  std::int64_t longest_job_ns = 0;
  /// Slack of the frames before, oldest first.
  std::array<std::int64_t, kFramesBefore> slack_before{};
  Finding overrun;                      ///< of one, what had most of its excess; else its cause is none
  Finding late;                         ///< of a late wake, or a late begin by housekeeping; likewise
  Finding beside;                       ///< what had the largest other share of its excess; likewise
  rtsync::Nanoseconds beside_share{0};  ///< of the lateness; `overrun`, or `late`, has the rest of it
  /// Smaller ones, of the lateness, too; that rest has them.
  std::array<rtsync::CauseTime, 2> more{};

  /// How late the frame ended; of one that did not overrun, how late it began.
  rtsync::Nanoseconds lateness() const TACTUS_RT {
    return timing.overrun == rtsync::OverrunCause::none ? timing.late : -timing.slack;
  }
  /// What names the cause of the frame.
  const Finding& named() const TACTUS_RT { return overrun.cause != rtsync::Cause::none ? overrun : late; }
};

/// The executive's own variables, to be recorded or connected like a model's: rt.late, rt.work, ...
/// During a frame they describe the frame before it.
struct RealtimeVariables {
  std::int64_t frame = -1;
  std::int64_t late = 0;
  std::int64_t work = 0;
  std::int64_t slack = 0;
  std::int64_t overruns = 0;
  std::int64_t late_wakes = 0;
  std::int64_t late_by_housekeeping = 0;
  std::int64_t lost = 0;
  std::int32_t overrun = 0;           ///< rtsync::OverrunCause
  std::int32_t cause = 0;             ///< rtsync::Cause, of the overrun, else of the late wake
  std::int32_t beside = 0;            ///< likewise, of the rest of its lateness
  std::int64_t beside_time = 0;       ///< how much that is; `cause` has the rest
  std::int32_t last_cause = 0;        ///< likewise, of the latest late frame
  std::int64_t last_late_frame = -1;  ///< its number
};

/// What policies left out of the frames, as the variables policy.*.
struct PolicyVariables {
  struct Job {
    std::string name;        ///< "view.draw"
    std::int32_t state = 0;  ///< 0 runs, 1 demoted, 2 shed
  };
  std::deque<Job> jobs;       ///< those that can be left out
  std::int64_t shed = 0;      ///< jobs that are left out now
  std::int64_t demoted = 0;   ///< jobs that are called less often now
  std::int64_t left_out = 0;  ///< calls so far
  std::int64_t steps = 0;     ///< of escalations, taken so far
};

}  // namespace tactus::executive
