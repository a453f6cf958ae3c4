// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Jobs of one thread that took longer than usual in the same frame.
struct JobGroup {
  std::uint32_t jobs = 0;         ///< 0: it is none
  std::uint32_t calls = 0;        ///< number of all calls together
  rtsync::Nanoseconds excess{0};  ///< beyond their usual times, together
  /// Indices into Plan::jobs: those with the largest excess, the first one first.
  std::array<std::uint32_t, 3> first{UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

/// Part of a finding about the thread that it names.
struct OwnFinding {
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  rtsync::Cause cause = rtsync::Cause::none;
  rtsync::FrameFacts facts;
  rtsync::Nanoseconds share{0};                ///< part of facts.excess() that `cause` had
  std::array<rtsync::CauseTime, 2> besides{};  ///< parts of it that other causes had, the larger one first
  bool is_beside = false;      ///< `cause` is one of them, and another finding has the largest share
  std::uint32_t job = kNoJob;  ///< index into Plan::jobs: the one that took too long, or was waited for
  JobGroup group{};            ///< several jobs, or calls of one: they shared the excess
  std::int64_t frame = 0;      ///< frame that began it: another one for catching_up
  rtsync::Evidence evidence;
  const char* part = nullptr;        ///< longest part of work that is not a job's; a text that stays
  std::uint32_t inner_job = kNoJob;  ///< job of an integration loop that took longest
  rtsync::Nanoseconds part_took{0};  ///< time of either
};

/// Cause of a frame's overrun or late wake, with the observations of the thread that it is about.
struct Finding : OwnFinding {
  /// Root cause of a wait for an asynchronous thread: why that was not ready.
  struct Root {
    rtsync::Cause cause = rtsync::Cause::none;  ///< none: it cannot be known
    rtsync::FrameFacts facts{};
    rtsync::Evidence evidence{};
    std::size_t thread = 0;  ///< awaited thread, as PlannedJob::thread, if it was not a job; 0: not known
  };
  Root root;
  /// Returns true if the finding is about the beginning of the frame.
  bool of_begin() const TACTUS_RT {
    return facts.part == rtsync::LatePart::wake || facts.part == rtsync::LatePart::housekeeping;
  }
};

/// Part of a note that each frame's has.
struct NoteFacts {
  static constexpr std::size_t kFramesBefore = 5;
  static constexpr std::uint32_t kNoJob = UINT32_MAX;
  rtsync::FrameTiming timing;
  std::uint32_t longest_job = kNoJob;  ///< index into Plan::jobs
  std::uint32_t frames_before = 0;     ///< frames in real time right before this one, up to kFramesBefore
  std::int64_t longest_job_ns = 0;
  /// Slack of those frames, oldest first: the last ones of the list.
  std::array<std::int64_t, kFramesBefore> slack_before{};
  /// Share of `FrameNote::beside` in the lateness; `overrun`, or `late`, has the rest of it.
  rtsync::Nanoseconds beside_share{0};
  /// Smaller ones, of the lateness, too; that rest has them.
  std::array<rtsync::CauseTime, 2> more{};
};

/// A note that a frame leaves when something was not as it should be; put into words by the service thread.
struct FrameNote : NoteFacts {
  Finding overrun;  ///< finding on an overrun: what had most of its excess; without one its cause is none
  Finding late;    ///< finding on a late wake, or a late begin by housekeeping; without one its cause is none
  Finding beside;  ///< finding with the largest other share of its excess; without one its cause is none

  /// Lateness of the frame's end; of one that did not overrun, of its beginning.
  rtsync::Nanoseconds lateness() const TACTUS_RT {
    return timing.overrun == rtsync::OverrunCause::none ? timing.late : -timing.slack;
  }
  /// Returns true if it is late from a frame after the one with the newest note: the note of that frame was lost, and
  /// nothing is known of its cause.
  bool is_late_from_after(std::int64_t newest) const TACTUS_RT {
    const auto began_after = [newest](const Finding& finding) TACTUS_RT {
      return finding.cause == rtsync::Cause::catching_up && finding.frame > newest;
    };
    return began_after(named()) || began_after(beside);
  }
  /// Finding that names the cause of the frame.
  const Finding& named() const TACTUS_RT { return overrun.cause != rtsync::Cause::none ? overrun : late; }
};

}  // namespace tactus::executive
