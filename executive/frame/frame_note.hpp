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

}  // namespace tactus::executive
