// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "executive/frame/frame_note.hpp"
#include "executive/frame/lane.hpp"

namespace tactus::executive {

/// Finds the jobs of a frame that took longer than usual: one alone where it had most of the excess of its thread, else
/// all that shared it.
///
/// Threads  the rig's main thread, before the lanes have counted the frame's jobs.
/// RT       all but the constructor; some steps for each call of the frame.
class LateJobs {
 public:
  using Log = std::span<const Lane::JobEnd>;

  /// `times`: of each job of the plan, up to the frame before. `isolated`: whether its model is.  @when setup
  LateJobs(const JobClock& clock, const std::vector<rtsync::JobHistogram>& times, std::vector<bool> isolated)
      : clock_(clock), times_(times), isolated_(std::move(isolated)), jobs_(isolated_.size()) {}

  /// Calls of a lane, one after the other.
  struct Calls {
    std::size_t lane = 0;
    const Lane::JobEnd* begin =
        nullptr;                        ///< the moment that the first of them began; nullptr: there are none
    const Lane::JobEnd* end = nullptr;  ///< the moment that the last of them ended
    std::uint32_t job = kNoPlanJob;     ///< job of the calls; none: several jobs
    rtsync::Nanoseconds excess{0};      ///< time of those jobs beyond their usual times; may be negative
    JobGroup group{};                   ///< none: it is one call
    bool isolated = false;              ///< their models are
    std::uint64_t ticks() const TACTUS_RT { return end->ticks - begin->ticks; }
  };
  /// Returns the calls in the log of a lane that took longer than usual.
  Calls beyond_usual(std::size_t lane, Log log) TACTUS_RT;
  /// The call that took longest.
  Calls longest(std::size_t lane, Log log) const TACTUS_RT;

 private:
  /// Time of a job in the frame.
  struct Job {
    rtsync::Nanoseconds excess{0};
    rtsync::Nanoseconds usual{0};
    rtsync::Nanoseconds longest{0};  // excess of one call
    std::size_t longest_call = 0;
    std::uint32_t calls = 0;
    std::uint32_t round = 0;  // when it was looked at last
    bool counted = false;
  };
  std::uint32_t look_at(Log log) TACTUS_RT;
  void put_first(JobGroup& group, std::uint32_t job) const TACTUS_RT;

  const JobClock& clock_;
  const std::vector<rtsync::JobHistogram>& times_;
  const std::vector<bool> isolated_;
  std::vector<Job> jobs_;
  std::uint32_t round_ = 0;
};

}  // namespace tactus::executive
